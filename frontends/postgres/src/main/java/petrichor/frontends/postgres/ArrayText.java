package petrichor.frontends.postgres;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The elements of an array with one dimension, written as {@code {1,"a b",NULL}}. */
record ArrayText(String text) {
    /** IllegalArgumentException if the text is not such an array. */
    List<@Nullable String> items() {
        if (!text.startsWith("{") || !text.endsWith("}")) {
            throw new IllegalArgumentException("an array begins with { and ends with }");
        }
        List<@Nullable String> items = new ArrayList<>();
        int end = text.length() - 1;
        int at = 1;
        if (text.substring(1, end).isBlank()) {
            return items;
        }
        while (at <= end) {
            StringBuilder item = new StringBuilder();
            boolean quoted = false;
            while (at < end && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            if (at < end && text.charAt(at) == '"') {
                quoted = true;
                at++;
                while (at < end && text.charAt(at) != '"') {
                    if (text.charAt(at) == '\\') {
                        at++;
                    }
                    item.append(text.charAt(at++));
                }
                at++;
            }
            while (at < end && text.charAt(at) != ',') {
                char c = text.charAt(at++);
                if (c == '{' || c == '}' || (quoted && !Character.isWhitespace(c))) {
                    throw new IllegalArgumentException("arrays of arrays are not supported");
                }
                if (c == '\\' && at < end) {
                    c = text.charAt(at++);
                }
                item.append(c);
            }
            String value = quoted ? item.toString() : item.toString().strip();
            if (!quoted && value.isEmpty()) {
                throw new IllegalArgumentException("an element is missing");
            }
            items.add(!quoted && value.equalsIgnoreCase("NULL") ? null : value);
            at++;
        }
        return items;
    }
}
