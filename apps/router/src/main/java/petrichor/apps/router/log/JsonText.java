package petrichor.apps.router.log;

/** Escapes text for JSON. */
public final class JsonText {
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private JsonText() {}

    /** Printable ASCII without a special meaning. */
    private static boolean isPlain(char c) {
        return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    }

    /** Appends the text as the inside of a JSON string. */
    public static void append(StringBuilder json, String text) {
        int plain = 0;
        while (plain < text.length() && isPlain(text.charAt(plain))) {
            plain++;
        }
        json.append(text, 0, plain);
        for (int i = plain; i < text.length(); i++) {
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
