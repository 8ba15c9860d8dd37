package petrichor.testing.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names that prose may mention: identifiers of code, types with their members, and paths. A
 * name that exists only in comments or documents does not count.
 */
final class RepositoryNames {
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_]\\w*");
    private static final Pattern TYPE =
            Pattern.compile("\\b(?:class|record|interface|enum)\\s+([A-Z]\\w*)");
    private static final Pattern SUPERTYPES =
            Pattern.compile("\\b(?:extends|implements)\\s+([\\w\\s,.<>?@&]+?)\\s*(?:\\{|permits)");
    private static final Pattern SNAKE = Pattern.compile("_([a-z])");

    /** A capital after a small letter: an identifier, and not a word of prose. */
    private static final Pattern CAMEL_CASE = Pattern.compile("[a-z0-9][A-Z]");

    private final Set<String> identifiers = new HashSet<>();
    private final Map<String, List<String>> codeByType = new HashMap<>();
    private final Set<String> paths = new HashSet<>();
    private final Set<String> folders;
    private final String schemas;

    /** Names of other products, which prose may mention. */
    private final Set<String> foreign;

    /** Names that code used to have, which only design notes may mention. */
    private final Set<String> former;

    private final Set<String> needed = new TreeSet<>();

    private RepositoryNames() {
        for (Path file : RepositoryFiles.endingWith()) {
            Path path = Path.of(RepositoryFiles.name(file));
            for (int depth = 1; depth <= path.getNameCount(); depth++) {
                paths.add(path.subpath(0, depth).toString().replace('\\', '/'));
            }
        }
        folders =
                paths.stream()
                        .filter(path -> path.contains("/"))
                        .map(path -> path.substring(0, path.indexOf('/')))
                        .collect(Collectors.toSet());
        for (Path file : RepositoryFiles.endingWith(".java")) {
            String code = JavaText.code(RepositoryFiles.read(file));
            words(code).forEach(identifiers::add);
            TYPE.matcher(code)
                    .results()
                    .forEach(
                            type ->
                                    codeByType
                                            .computeIfAbsent(type.group(1), _ -> new ArrayList<>())
                                            .add(code));
        }
        StringBuilder messages = new StringBuilder();
        for (Path file :
                RepositoryFiles.endingWith(".proto", ".py", ".go", ".js", ".mjs", ".ts", ".lua")) {
            String text = RepositoryFiles.read(file);
            words(text).forEach(identifiers::add);
            if (file.toString().endsWith(".proto")) {
                messages.append(text);
                words(text).map(RepositoryNames::camelCase).forEach(identifiers::add);
            }
        }
        schemas = messages.toString();
        foreign = list("foreign-names.txt");
        former = list("former-names.txt");
    }

    static RepositoryNames read() {
        return new RepositoryNames();
    }

    private static Stream<String> words(String text) {
        return IDENTIFIER.matcher(text).results().map(MatchResult::group);
    }

    private static String camelCase(String name) {
        return SNAKE.matcher(name).replaceAll(part -> part.group(1).toUpperCase(Locale.ROOT));
    }

    private static Set<String> list(String resource) {
        Path file =
                RepositoryFiles.ROOT.resolve(
                        "testing/architecture/src/test/resources/petrichor/testing/architecture");
        return RepositoryFiles.read(file.resolve(resource))
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(String::strip)
                .collect(Collectors.toSet());
    }

    /** The first wrong part of {@code Type.member}, {@code method} and the like; empty if none. */
    String wrongIdentifier(String reference, boolean formerAllowed) {
        String[] parts = reference.split("[.#]", -1);
        if (parts.length > 1 && isListed(parts[0] + "." + parts[1], formerAllowed)) {
            return "";
        }
        for (String part : parts) {
            if (CAMEL_CASE.matcher(part).find()
                    && !identifiers.contains(part)
                    && !isListed(part, formerAllowed)) {
                return part;
            }
        }
        return parts.length > 1 && codeByType.containsKey(parts[0]) && !has(parts[0], parts[1])
                ? parts[0] + "." + parts[1]
                : "";
    }

    private boolean isListed(String name, boolean formerAllowed) {
        if (foreign.contains(name) || (formerAllowed && former.contains(name))) {
            needed.add(name);
            return true;
        }
        return false;
    }

    private boolean has(String type, String member) {
        Pattern word = Pattern.compile("\\b" + member + "\\b");
        return family(type).anyMatch(code -> word.matcher(code).find())
                || word.matcher(schemas).find();
    }

    /** The code of the types of this name and of those that they extend or implement. */
    private Stream<String> family(String type) {
        List<String> own = codeByType.getOrDefault(type, List.of());
        Stream<String> inherited =
                own.stream()
                        .flatMap(code -> SUPERTYPES.matcher(code).results())
                        .flatMap(clause -> words(clause.group(1)))
                        .distinct()
                        .flatMap(name -> codeByType.getOrDefault(name, List.of()).stream());
        return Stream.concat(own.stream(), inherited);
    }

    /** Whether this looks like a path of the repository and does not exist. */
    boolean isWrongPath(String path, boolean formerAllowed) {
        int end = path.indexOf('/');
        if (end < 0 || !folders.contains(path.substring(0, end)) || path.contains("/target")) {
            return false;
        }
        if (path.contains("*")) {
            Pattern glob = Pattern.compile(path.replace(".", "\\.").replace("*", "[^/]*"));
            return paths.stream().noneMatch(each -> glob.matcher(each).matches());
        }
        return !paths.contains(path) && !isListed(path, formerAllowed);
    }

    boolean hasDocument(String name) {
        return paths.contains(name) || paths.stream().anyMatch(each -> each.endsWith("/" + name));
    }

    /** Whether a document at the root has this heading. */
    boolean hasSection(String document, String heading) {
        return RepositoryFiles.read(RepositoryFiles.ROOT.resolve(document))
                .lines()
                .anyMatch(
                        line ->
                                line.replaceFirst("^#+ ", "").equals(heading)
                                        && line.charAt(0) == '#');
    }

    /** Entries of both lists that no reference needed so far, or that exist. */
    Set<String> unneededEntries() {
        Set<String> unneeded = new TreeSet<>(foreign);
        unneeded.addAll(former);
        unneeded.removeAll(needed);
        former.stream()
                .filter(name -> identifiers.contains(name) || paths.contains(name))
                .forEach(unneeded::add);
        return unneeded;
    }
}
