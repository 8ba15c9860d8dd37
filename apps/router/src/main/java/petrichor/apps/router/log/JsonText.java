package petrichor.apps.router.log;

/** Escapes text for JSON. */
public final class JsonText {
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private JsonText() {}

    /** Appends the text as the inside of a JSON string. */
    public static void append(StringBuilder json, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean lone = Character.isSurrogate(c);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || c == 0x7f || lone || c == '\u2028' || c == '\u2029') {
                json.append("\\u")
                        .append(HEX[c >> 12])
                        .append(HEX[(c >> 8) & 15])
                        .append(HEX[(c >> 4) & 15])
                        .append(HEX[c & 15]);
            } else {
                json.append(c);
            }
        }
    }
}
