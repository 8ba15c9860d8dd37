package petrichor.apps.builds;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * A language and the version that an app requires.
 *
 * <p>Python and Node are not compatible between versions: the installed interpreter must be of the
 * same version, in the components that are given. Go and Java are: any installed version from the
 * given one on is used, the oldest first.
 *
 * @param version such as {@code 3.11}, {@code 22} or {@code 1.24}; empty if any will do
 */
public record AppRuntime(RuntimeFamily family, String version) {
    private static final Pattern VERSION = Pattern.compile("(\\d{1,4}(\\.\\d{1,4}){0,3})?");
    private static final Pattern APP_ENGINE = Pattern.compile("(python|nodejs|go|java)(\\d{0,4})");

    public AppRuntime {
        if (!VERSION.matcher(version).matches()) {
            throw PetrichorException.invalid(
                    "the runtime version \"{version}\" is not a version: use numbers and dots, such"
                            + " as 3.11",
                    "version",
                    version);
        }
    }

    /** A runtime under its name in app.yaml, such as python313, nodejs22, go124 or java21. */
    public static Optional<AppRuntime> parse(String appEngineName) {
        Matcher matcher = APP_ENGINE.matcher(appEngineName);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String digits = matcher.group(2);
        return Optional.of(
                switch (matcher.group(1)) {
                    case "python" -> new AppRuntime(RuntimeFamily.PYTHON, dotted(digits));
                    case "nodejs" -> new AppRuntime(RuntimeFamily.NODE, digits);
                    case "go" -> new AppRuntime(RuntimeFamily.GO, dotted(digits));
                    case String _ -> new AppRuntime(RuntimeFamily.JAVA, digits);
                });
    }

    /** python313 is Python 3.13, and go124 is Go 1.24. */
    private static String dotted(String digits) {
        return digits.length() < 2 ? digits : digits.charAt(0) + "." + digits.substring(1);
    }

    /** "Python 3.13", or "Python" if any version will do. */
    String title() {
        return version.isEmpty() ? family.title() : family.title() + " " + version;
    }

    /** "Go 1.24 or newer", or "Go" if any version will do. */
    String titleOrNewer() {
        return version.isEmpty() ? title() : title() + " or newer";
    }

    /** Whether the installed version has the components of the required one. */
    boolean isMatchedBy(String installed) {
        return version.isEmpty()
                || installed.equals(version)
                || installed.startsWith(version + ".");
    }

    /** Whether the installed version is the required one or a newer one. */
    boolean isReachedBy(String installed) {
        return version.isEmpty() || compare(installed, version) >= 0;
    }

    /** Compares versions by their numbers; a missing component counts as zero. */
    static int compare(String left, String right) {
        String[] leftParts = left.split("\\.", -1);
        String[] rightParts = right.split("\\.", -1);
        for (int i = 0; i < Math.max(leftParts.length, rightParts.length); i++) {
            int difference = Integer.compare(number(leftParts, i), number(rightParts, i));
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    private static int number(String[] parts, int index) {
        if (index >= parts.length) {
            return 0;
        }
        String digits = parts[index].replaceFirst("\\D.*", "");
        return digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }
}
