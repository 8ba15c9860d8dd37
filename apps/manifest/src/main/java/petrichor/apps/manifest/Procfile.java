package petrichor.apps.manifest;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * The commands of an app, by the kind of process: {@code web: gunicorn main:app}.
 *
 * @param commands in the order of the file
 */
public record Procfile(Map<String, String> commands) {
    static final int TEXT_CHARACTERS_MAX = 1 << 16;

    /** The process that gets the app's requests. */
    private static final String WEB = "web";

    private static final Pattern LINE = Pattern.compile("([A-Za-z0-9_-]{1,63}):\\s*(\\S.*)");

    public Procfile {
        commands = Collections.unmodifiableMap(new LinkedHashMap<>(commands));
    }

    /** Empty lines and lines that begin with {@code #} are comments. */
    public static Procfile parse(String file, String text) {
        if (text.length() > TEXT_CHARACTERS_MAX) {
            throw invalid(file, 1, "the file has more than " + TEXT_CHARACTERS_MAX + " characters");
        }
        Map<String, String> commands = new LinkedHashMap<>();
        int number = 0;
        for (String line : text.lines().map(String::strip).toList()) {
            number++;
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw invalid(file, number, "write NAME: COMMAND, such as web: npm start");
            }
            if (commands.put(matcher.group(1), matcher.group(2)) != null) {
                throw invalid(file, number, "a second command of " + matcher.group(1));
            }
        }
        return new Procfile(commands);
    }

    private static PetrichorException invalid(String file, int line, String problem) {
        return PetrichorException.invalid(
                "{file}:{line} is not valid: {problem}.",
                "file",
                file,
                "line",
                line,
                "problem",
                problem);
    }

    /** The command that serves requests. */
    public Optional<String> web() {
        return Optional.ofNullable(commands.get(WEB));
    }
}
