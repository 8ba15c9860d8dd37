package petrichor.services.search.text;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The text of HTML: without tags, comments, scripts and styles, and with the most frequent
 * character references replaced. Linear in the length of its input, also for invalid HTML.
 */
public final class HtmlText {
    /** Longest character reference that is replaced, with its delimiters. */
    private static final int REFERENCE_CHARS_MAX = 10;

    private static final Map<String, String> REFERENCES =
            Map.of("amp", "&", "lt", "<", "gt", ">", "quot", "\"", "apos", "'", "nbsp", " ");

    private final String html;
    private final StringBuilder text;
    private int at;

    private HtmlText(String html) {
        this.html = html;
        this.text = new StringBuilder(html.length());
    }

    public static String of(String html) {
        if (html.indexOf('<') < 0 && html.indexOf('&') < 0) {
            return html;
        }
        return new HtmlText(html).strip();
    }

    private String strip() {
        boolean tagsEnd = false;
        while (at < html.length()) {
            char next = html.charAt(at);
            if (next == '<' && !tagsEnd) {
                int end = endOfTag();
                if (end < 0) {
                    // No later tag ends either: do not look again.
                    tagsEnd = true;
                    continue;
                }
                text.append(' ');
                at = end;
            } else if (next == '&') {
                takeReference();
            } else {
                text.append(next);
                at++;
            }
        }
        return text.toString();
    }

    /** After the tag at the current position; negative if it does not end. */
    private int endOfTag() {
        if (html.startsWith("<!--", at)) {
            int end = html.indexOf("-->", at + 4);
            return end < 0 ? html.length() : end + 3;
        }
        int close = html.indexOf('>', at);
        if (close < 0) {
            return -1;
        }
        for (String element : new String[] {"script", "style"}) {
            if (html.regionMatches(true, at + 1, element, 0, element.length())) {
                return endOfElement(element, close + 1);
            }
        }
        return close + 1;
    }

    private int endOfElement(String element, int from) {
        for (int end = html.indexOf("</", from); end >= 0; end = html.indexOf("</", end + 2)) {
            if (html.regionMatches(true, end + 2, element, 0, element.length())) {
                return end;
            }
        }
        return html.length();
    }

    private void takeReference() {
        int end = html.indexOf(';', at, Math.min(html.length(), at + REFERENCE_CHARS_MAX));
        if (end < 0) {
            text.append('&');
            at++;
            return;
        }
        String name = html.substring(at + 1, end);
        String character = REFERENCES.get(name.toLowerCase(Locale.ROOT));
        if (character == null && name.startsWith("#")) {
            character = numbered(name.substring(1));
        }
        if (character == null) {
            text.append('&');
            at++;
        } else {
            text.append(character);
            at = end + 1;
        }
    }

    private static @Nullable String numbered(String digits) {
        boolean hexadecimal = digits.startsWith("x") || digits.startsWith("X");
        try {
            int point =
                    hexadecimal
                            ? Integer.parseInt(digits.substring(1), 16)
                            : Integer.parseInt(digits);
            return Character.isValidCodePoint(point) ? Character.toString(point) : null;
        } catch (NumberFormatException _) {
            return null;
        }
    }
}
