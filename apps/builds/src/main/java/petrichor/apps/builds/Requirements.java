package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * What an app's requirements.txt depends on: files that it includes, and whether it names files of
 * the app itself. Then a change of any source makes a new layer. Immutable.
 */
final class Requirements {
    static final String FILE = "requirements.txt";

    private static final Pattern INCLUDE =
            Pattern.compile("(?:-r|-c|--requirement|--constraint)[ =]?\\s*(\\S+)");
    private static final Pattern EDITABLE = Pattern.compile("(?:-e|--editable)[ =]?\\s*(\\S+)");
    private static final Pattern LOCAL_LINKS =
            Pattern.compile("(?:-f|--find-links)[ =]?\\s*((?!\\w+://)\\S+)");
    private static final Pattern NAME = Pattern.compile("([A-Za-z0-9][A-Za-z0-9._-]*)(.*)");
    private static final Pattern LOCAL_FILE =
            Pattern.compile("(?:\\.|/).*|file:.*|[^@:;]*/.*|[^@:;]*\\.(?:whl|zip|tar\\.gz)");

    private final Path sources;
    private final Map<String, String> texts = new TreeMap<>();
    private final Set<String> packages = new HashSet<>();
    private boolean local;

    private Requirements(Path sources) {
        this.sources = sources;
    }

    /** Empty if the app has no requirements.txt. */
    static Requirements of(Path sources) throws IOException {
        Requirements requirements = new Requirements(sources);
        if (Files.isRegularFile(sources.resolve(FILE))) {
            requirements.read(FILE);
        }
        return requirements;
    }

    /** By file. */
    Map<String, String> texts() {
        return Map.copyOf(texts);
    }

    boolean isEmpty() {
        return texts.isEmpty();
    }

    /** Whether files of the app other than {@link #texts} are among the requirements. */
    boolean isLocal() {
        return local;
    }

    /**
     * @param name in lower case
     */
    boolean contains(String name) {
        return packages.contains(name);
    }

    private void read(String file) throws IOException {
        Path path = sources.resolve(file).normalize();
        if (!path.startsWith(sources) || !Files.isRegularFile(path)) {
            // pip reports the missing file.
            local = true;
            return;
        }
        String text = new String(Files.readAllBytes(path), UTF_8);
        if (texts.putIfAbsent(file, text) != null) {
            return;
        }
        Path parent = Path.of(file).getParent();
        for (String line : text.replaceAll("\\\\\\r?\\n", " ").lines().toList()) {
            add(line.replaceFirst("(^|\\s)#.*", "").strip(), parent == null ? Path.of("") : parent);
        }
    }

    private void add(String line, Path parent) throws IOException {
        Matcher include = INCLUDE.matcher(line);
        if (include.matches() && !include.group(1).contains("://")) {
            read(parent.resolve(include.group(1)).normalize().toString());
            return;
        }
        Matcher editable = EDITABLE.matcher(line);
        if (editable.matches() && !editable.group(1).contains("://")) {
            throw PetrichorException.invalid(
                    "requirements.txt has the editable requirement \"{line}\", whose folder is"
                            + " elsewhere when the app runs: remove -e",
                    "line",
                    line);
        }
        if (LOCAL_LINKS.matcher(line).lookingAt()) {
            local = true;
            return;
        }
        Matcher name = NAME.matcher(line);
        if (line.startsWith("-") || line.isEmpty()) {
            return;
        }
        String requirement = line.split(";", 2)[0].strip();
        int at = requirement.indexOf('@');
        String target = at < 0 ? requirement : requirement.substring(at + 1).strip();
        if (!target.matches("[a-z+]+://.*") || target.startsWith("file:")) {
            local |= LOCAL_FILE.matcher(target).matches();
        }
        if (name.matches()) {
            packages.add(name.group(1).toLowerCase(Locale.ROOT));
        }
    }
}
