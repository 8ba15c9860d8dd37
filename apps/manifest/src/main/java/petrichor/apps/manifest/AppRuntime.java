package petrichor.apps.manifest;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * A language and its version.
 *
 * @param version as the language writes it, such as 3.13, 22, 1.24 or 21; empty for the newest one
 *     that is installed
 */
public record AppRuntime(Language language, String version) {
    /** What {@link #parse} accepts, for errors. */
    public static final String NAMES =
            "python3xx, nodejsXX, go1xx or javaXX, such as python313, or only the language";

    private static final Pattern NAME =
            Pattern.compile(
                    "(?<language>python|nodejs|go|java)(?<version>|(?<=python)3[0-9]{1,2}"
                            + "|(?<=nodejs)[0-9]{1,2}|(?<=go)1[0-9]{2}|(?<=java)[0-9]{1,2})");
    private static final Pattern VERSION = Pattern.compile("|[0-9]{1,3}(\\.[0-9]{1,3})?");

    public AppRuntime {
        if (!VERSION.matcher(version).matches()) {
            throw PetrichorException.invalid(
                    "{version} is not a version of {language}; write it as 3.13 or 22.",
                    "version",
                    version,
                    "language",
                    language.prefix());
        }
    }

    /** The runtime of App Engine's name; empty if it is not one of {@link #NAMES}. */
    public static Optional<AppRuntime> parse(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String digits = matcher.group("version");
        for (Language language : Language.values()) {
            if (language.prefix().equals(matcher.group("language"))) {
                return Optional.of(new AppRuntime(language, dotted(language, digits)));
            }
        }
        return Optional.empty();
    }

    private static String dotted(Language language, String digits) {
        return switch (language) {
            case PYTHON, GO -> digits.isEmpty() ? "" : digits.charAt(0) + "." + digits.substring(1);
            case NODE, JAVA -> digits;
        };
    }

    /** App Engine's name, such as python313. */
    public String name() {
        return language.prefix() + version.replace(".", "");
    }
}
