package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The lexical structure of SQL texts: strings, quoted names, dollar quotes, comments. */
public final class SqlText {
    private SqlText() {}

    /** The statements of a text, separated by semicolons; blank ones are left out. */
    public static List<String> statements(String text) {
        List<String> statements = new ArrayList<>();
        int from = 0;
        int at = 0;
        while (at < text.length()) {
            if (text.charAt(at) == ';') {
                add(statements, text.substring(from, at));
                at++;
                from = at;
            } else {
                at = tokenEnd(text, at);
            }
        }
        add(statements, text.substring(from));
        return statements;
    }

    private static void add(List<String> statements, String statement) {
        if (!isBlank(statement)) {
            statements.add(statement.strip());
        }
    }

    /** Whether it contains only white space and comments. */
    public static boolean isBlank(String text) {
        int at = 0;
        while (at < text.length()) {
            if (Character.isWhitespace(text.charAt(at))) {
                at++;
                continue;
            }
            boolean comment = text.startsWith("--", at) || text.startsWith("/*", at);
            if (!comment) {
                return false;
            }
            at = tokenEnd(text, at);
        }
        return true;
    }

    /**
     * The end of the string, quoted name, dollar-quoted string or comment that starts at {@code
     * at}; of a word or number; otherwise the next character. An unterminated one ends with the
     * text.
     */
    public static int tokenEnd(String text, int at) {
        char first = text.charAt(at);
        if (first == '\'') {
            boolean escapes =
                    at > 0
                            && (text.charAt(at - 1) == 'E' || text.charAt(at - 1) == 'e')
                            && (at == 1 || !isWordPart(text.charAt(at - 2)));
            return quoteEnd(text, at, '\'', escapes);
        }
        if (first == '"') {
            return quoteEnd(text, at, '"', false);
        }
        if (text.startsWith("--", at)) {
            int end = text.indexOf('\n', at);
            return end < 0 ? text.length() : end;
        }
        if (text.startsWith("/*", at)) {
            return commentEnd(text, at);
        }
        if (first == '$') {
            return dollarEnd(text, at);
        }
        if (isWordPart(first)) {
            int end = at + 1;
            while (end < text.length()
                    && (isWordPart(text.charAt(end)) || text.charAt(end) == '$')) {
                end++;
            }
            return end;
        }
        return at + 1;
    }

    /** The parts of a qualified name as it is written in SQL. */
    public static List<String> names(String written) {
        List<String> names = new ArrayList<>();
        int at = 0;
        while (at < written.length()) {
            int end = tokenEnd(written, at);
            String token = written.substring(at, end);
            if (token.startsWith("\"") && token.length() > 1) {
                names.add(token.substring(1, token.length() - 1).replace("\"\"", "\""));
            } else if (isWordPart(token.charAt(0))) {
                names.add(token.toLowerCase(Locale.ROOT));
            }
            at = end;
        }
        if (names.isEmpty()) {
            names.add(written);
        }
        return names;
    }

    static boolean isWordPart(char c) {
        return Character.isLetterOrDigit(c) || c == '_';
    }

    private static int quoteEnd(String text, int at, char quote, boolean escapes) {
        int end = at + 1;
        while (end < text.length()) {
            char c = text.charAt(end);
            if (escapes && c == '\\') {
                end += 2;
            } else if (c != quote) {
                end++;
            } else if (end + 1 < text.length() && text.charAt(end + 1) == quote) {
                end += 2;
            } else {
                return end + 1;
            }
        }
        return text.length();
    }

    private static int commentEnd(String text, int at) {
        int depth = 0;
        int end = at;
        while (end < text.length()) {
            if (text.startsWith("/*", end)) {
                depth++;
                end += 2;
            } else if (text.startsWith("*/", end)) {
                depth--;
                end += 2;
                if (depth == 0) {
                    return end;
                }
            } else {
                end++;
            }
        }
        return text.length();
    }

    private static int dollarEnd(String text, int at) {
        int tagEnd = at + 1;
        while (tagEnd < text.length() && isWordPart(text.charAt(tagEnd))) {
            tagEnd++;
        }
        boolean opens = tagEnd < text.length() && text.charAt(tagEnd) == '$';
        if (!opens || (tagEnd > at + 1 && Character.isDigit(text.charAt(at + 1)))) {
            return Math.max(tagEnd, at + 1);
        }
        String tag = text.substring(at, tagEnd + 1);
        int end = text.indexOf(tag, tagEnd + 1);
        return end < 0 ? text.length() : end + tag.length();
    }
}
