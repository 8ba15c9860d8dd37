package petrichor.apps.builds;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Patterns of files that are not part of an app, with the syntax of {@code .gitignore} and {@code
 * .gcloudignore}: {@code *}, {@code ?}, {@code [a-z]}, {@code **}, a leading {@code /} for the
 * root, a trailing {@code /} for folders, {@code !} for exceptions, of which the last match counts.
 * A file in an ignored folder cannot be included again. {@code #!include} lines are the caller's to
 * resolve. Immutable.
 */
public final class IgnorePatterns {
    /** Ignores nothing. */
    public static final IgnorePatterns NONE = of(List.of());

    private record Rule(Pattern pattern, boolean foldersOnly, boolean ignores) {}

    private final List<Rule> rules;

    private IgnorePatterns(List<Rule> rules) {
        this.rules = rules;
    }

    /**
     * @param lines of an ignore file; blank lines and comments are skipped
     */
    public static IgnorePatterns of(List<String> lines) {
        List<Rule> rules = new ArrayList<>();
        for (String line : lines) {
            String glob = line.strip();
            if (glob.isEmpty() || glob.startsWith("#")) {
                continue;
            }
            boolean ignores = !glob.startsWith("!");
            glob = ignores ? glob : glob.substring(1);
            glob = glob.startsWith("\\") ? glob.substring(1) : glob;
            boolean foldersOnly = glob.endsWith("/");
            glob = foldersOnly ? glob.substring(0, glob.length() - 1) : glob;
            if (!glob.isEmpty()) {
                rules.add(new Rule(compiled(line, expression(glob)), foldersOnly, ignores));
            }
        }
        return new IgnorePatterns(List.copyOf(rules));
    }

    /**
     * Whether this path itself matches; the caller skips everything in an ignored folder.
     *
     * @param path relative to the root, with slashes
     */
    public boolean ignores(String path, boolean folder) {
        boolean ignored = false;
        for (Rule rule : rules) {
            if ((folder || !rule.foldersOnly()) && rule.pattern().matcher(path).matches()) {
                ignored = rule.ignores();
            }
        }
        return ignored;
    }

    /** Whether this file or a folder that contains it is ignored. */
    boolean ignoresFile(String path) {
        for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
            if (ignores(path.substring(0, slash), true)) {
                return true;
            }
        }
        return ignores(path, false);
    }

    private static Pattern compiled(String line, String expression) {
        try {
            return Pattern.compile(expression);
        } catch (PatternSyntaxException e) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    e,
                    "the ignore pattern \"{pattern}\" is invalid: check its ranges in brackets",
                    "pattern",
                    line);
        }
    }

    private static String expression(String glob) {
        // A slash anywhere but at the end ties the pattern to the root.
        boolean anchored = glob.indexOf('/') >= 0;
        String text = glob.startsWith("/") ? glob.substring(1) : glob;
        StringBuilder regex = new StringBuilder(anchored ? "" : "(?:.*/)?");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (text.startsWith("**/", i) && (i == 0 || text.charAt(i - 1) == '/')) {
                regex.append("(?:.*/)?");
                i += 2;
            } else if (text.startsWith("**", i)) {
                regex.append(".*");
                i++;
            } else if (c == '*') {
                regex.append("[^/]*");
            } else if (c == '?') {
                regex.append("[^/]");
            } else if (c == '[' && text.indexOf(']', i + 2) > 0) {
                int end = text.indexOf(']', i + 2);
                regex.append(characters(text.substring(i + 1, end)));
                i = end;
            } else {
                regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return regex.toString();
    }

    private static String characters(String set) {
        boolean negated = set.startsWith("!") || set.startsWith("^");
        String members = (negated ? set.substring(1) : set).replaceAll("[\\[\\]\\\\&^~]", "\\\\$0");
        return (negated ? "[^/" : "[") + members + "]";
    }
}
