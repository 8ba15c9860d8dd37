package petrichor.apps.manifest;

import com.google.re2j.Pattern;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Translates a pattern of {@code .gitignore} to a regular expression. */
final class Glob {
    private static final Map<String, String> CLASSES =
            Map.ofEntries(
                    Map.entry("alnum", "0-9A-Za-z"),
                    Map.entry("alpha", "A-Za-z"),
                    Map.entry("blank", " \\t"),
                    Map.entry("cntrl", "\\x00-\\x1f\\x7f"),
                    Map.entry("digit", "0-9"),
                    Map.entry("graph", "!-.0-~"),
                    Map.entry("lower", "a-z"),
                    Map.entry("print", " -.0-~"),
                    Map.entry("punct", "!-.:-@\\[-`{-~"),
                    Map.entry("space", "\\t-\\r "),
                    Map.entry("upper", "A-Z"),
                    Map.entry("xdigit", "0-9A-Fa-f"));

    /** An expression that no character matches. */
    private static final String NOTHING = "[^\\x00-\\x{10FFFF}]";

    private static final int NONE = -1;
    private static final String NAME_CHARACTER = "[^/]";

    private final String glob;
    private final StringBuilder expression = new StringBuilder();
    private int at;

    private Glob(String glob) {
        this.glob = glob;
    }

    /**
     * The expression for complete paths; empty if the pattern matches nothing, such as one whose
     * bracket is not closed.
     *
     * @param glob without {@code !} and without the slash at its end
     */
    static Optional<Pattern> compile(String glob) {
        boolean anchored = glob.indexOf('/') >= 0;
        String relative = glob.startsWith("/") ? glob.substring(1) : glob;
        String expression = new Glob(relative).translate();
        if (expression == null) {
            return Optional.empty();
        }
        return Optional.of(
                Pattern.compile((anchored ? "" : "(?:.*/)?") + expression, Pattern.DOTALL));
    }

    private @Nullable String translate() {
        while (at < glob.length()) {
            char next = glob.charAt(at);
            switch (next) {
                case '*' -> stars();
                case '?' -> {
                    expression.append(NAME_CHARACTER);
                    at++;
                }
                case '[' -> {
                    if (!bracket()) {
                        return null;
                    }
                }
                case '\\' -> {
                    if (at + 1 == glob.length()) {
                        return null;
                    }
                    literal(glob.charAt(at + 1));
                    at += 2;
                }
                default -> {
                    literal(next);
                    at++;
                }
            }
        }
        return expression.toString();
    }

    private void literal(char next) {
        expression.append(Pattern.quote(String.valueOf(next)));
    }

    /** Two stars that are a complete name also match slashes. */
    private void stars() {
        int start = at;
        while (at < glob.length() && glob.charAt(at) == '*') {
            at++;
        }
        boolean atStart = start == 0 || glob.charAt(start - 1) == '/';
        boolean atEnd = at == glob.length();
        if (at - start < 2 || !atStart || !(atEnd || glob.charAt(at) == '/')) {
            expression.append(NAME_CHARACTER).append('*');
        } else if (atEnd) {
            expression.append(".*");
        } else {
            expression.append("(?:.*/)?");
            at++;
        }
    }

    /** Whether the bracket is closed. */
    private boolean bracket() {
        boolean negated = at + 1 < glob.length() && "!^".indexOf(glob.charAt(at + 1)) >= 0;
        int first = negated ? at + 2 : at + 1;
        StringBuilder members = new StringBuilder();
        int previous = NONE;
        int next = first;
        while (next < glob.length() && (glob.charAt(next) != ']' || next == first)) {
            int end = glob.startsWith("[:", next) ? glob.indexOf(":]", next) : NONE;
            if (end >= 0) {
                String known = CLASSES.get(glob.substring(next + 2, end));
                if (known == null) {
                    return false;
                }
                members.append(known);
                previous = NONE;
                next = end + 2;
                continue;
            }
            boolean range =
                    glob.charAt(next) == '-'
                            && previous != NONE
                            && next + 1 < glob.length()
                            && glob.charAt(next + 1) != ']';
            next += range ? 1 : 0;
            next += glob.charAt(next) == '\\' ? 1 : 0;
            if (next == glob.length()) {
                return false;
            }
            char member = glob.charAt(next);
            addRange(members, range ? previous : member, member);
            previous = range ? NONE : member;
            next++;
        }
        if (next >= glob.length()) {
            return false;
        }
        at = next + 1;
        if (negated) {
            expression.append("[^/").append(members).append(']');
        } else {
            expression.append(members.isEmpty() ? NOTHING : "[" + members + "]");
        }
        return true;
    }

    /** Without the slash, which separates names. A range whose end is before its start is empty. */
    private static void addRange(StringBuilder members, int first, int last) {
        if (first <= '/' && '/' <= last) {
            addRange(members, first, '/' - 1);
            addRange(members, '/' + 1, last);
        } else if (first <= last) {
            members.append(String.format(Locale.ROOT, "\\x{%x}-\\x{%x}", first, last));
        }
    }
}
