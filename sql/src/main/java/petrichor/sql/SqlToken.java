package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A significant token of a text.
 *
 * @param word in upper case, unless it is quoted
 * @param from position in the text
 * @param depth of parentheses; both parentheses of a pair have that of what surrounds them
 */
record SqlToken(String word, int from, int to, int depth) {

    /** Without white space, comments and semicolons. */
    static List<SqlToken> of(String text) {
        List<SqlToken> tokens = new ArrayList<>();
        int depth = 0;
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            int end = SqlText.tokenEnd(text, at);
            boolean blank =
                    Character.isWhitespace(c)
                            || text.startsWith("--", at)
                            || text.startsWith("/*", at);
            if (!blank && c != ';') {
                if (c == ')') {
                    depth--;
                }
                String word = text.substring(at, end);
                boolean quoted = c == '"' || c == '\'' || c == '$';
                tokens.add(
                        new SqlToken(
                                quoted ? word : word.toUpperCase(Locale.ROOT), at, end, depth));
                if (c == '(') {
                    depth++;
                }
            }
            at = end;
        }
        return tokens;
    }
}
