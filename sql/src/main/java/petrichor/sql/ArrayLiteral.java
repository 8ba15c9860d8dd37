package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** PostgreSQL's text of an array, {@code {a,"b c",NULL}}, as an expression of H2. */
public final class ArrayLiteral {
    private ArrayLiteral() {}

    /**
     * The expression; null if the text is not a list of one dimension.
     *
     * @param literal a string literal, with its quotes and without a prefix
     * @param escapes whether backslashes are escapes in the literal
     * @param type of an element, as it is written
     */
    static @Nullable String expression(String literal, boolean escapes, String type) {
        if (literal.length() < 2 || literal.charAt(0) != '\'') {
            return null;
        }
        String quoted = literal.substring(1, literal.length() - 1).replace("''", "'");
        String text = (escapes ? unescaped(quoted) : quoted).strip();
        if (!text.startsWith("{") || !text.endsWith("}") || text.length() < 2) {
            return null;
        }
        List<@Nullable String> elements = elements(text.substring(1, text.length() - 1));
        if (elements == null) {
            return null;
        }
        boolean json = type.toUpperCase(Locale.ROOT).startsWith("JSON");
        StringBuilder array = new StringBuilder("CAST(ARRAY[");
        for (int i = 0; i < elements.size(); i++) {
            String element = elements.get(i);
            array.append(i == 0 ? "" : ", ");
            array.append(element == null ? "NULL" : "'" + element.replace("'", "''") + "'");
            array.append(json && element != null ? " FORMAT JSON" : "");
        }
        return array.append("] AS ").append(type).append(" ARRAY)").toString();
    }

    /** Its elements as texts; null if it is not a list of one dimension. */
    static @Nullable String list(String literal) {
        String typed = expression(literal, false, "TEXT");
        if (typed == null || typed.startsWith("CAST(ARRAY[]")) {
            return typed;
        }
        return typed.substring("CAST(".length(), typed.lastIndexOf(" AS "));
    }

    /** The elements of a value's text; the text itself if it is none of an array. */
    public static List<@Nullable String> elementsOf(String text) {
        String value = text.strip();
        boolean braces = value.startsWith("{") && value.endsWith("}") && value.length() > 1;
        List<@Nullable String> found =
                braces ? elements(value.substring(1, value.length() - 1)) : null;
        if (found == null) {
            throw new SqlException(
                    SqlState.INVALID_TEXT, "malformed array literal: \"" + text + "\"");
        }
        return found;
    }

    static String unescaped(String quoted) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < quoted.length(); i++) {
            char c = quoted.charAt(i);
            if (c == '\\' && i + 1 < quoted.length()) {
                i++;
                char escaped = quoted.charAt(i);
                text.append(
                        switch (escaped) {
                            case 'n' -> '\n';
                            case 't' -> '\t';
                            case 'r' -> '\r';
                            default -> escaped;
                        });
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }

    private static @Nullable List<@Nullable String> elements(String list) {
        List<@Nullable String> elements = new ArrayList<>();
        int at = 0;
        while (at < list.length()) {
            StringBuilder element = new StringBuilder();
            boolean quoted = list.charAt(at) == '"';
            if (quoted) {
                at++;
                while (at < list.length() && list.charAt(at) != '"') {
                    at += list.charAt(at) == '\\' ? 1 : 0;
                    if (at < list.length()) {
                        element.append(list.charAt(at));
                    }
                    at++;
                }
                at++;
            } else {
                while (at < list.length() && list.charAt(at) != ',') {
                    char c = list.charAt(at);
                    if (c == '{' || c == '}' || c == '\\' || c == '"') {
                        return null;
                    }
                    element.append(c);
                    at++;
                }
            }
            String text = quoted ? element.toString() : element.toString().strip();
            elements.add(!quoted && text.equalsIgnoreCase("NULL") ? null : text);
            if (at < list.length() && list.charAt(at) != ',') {
                return null;
            }
            at++;
        }
        return elements;
    }
}
