package petrichor.entities;

/**
 * Formats names for messages, and measures text. Avoids Protocol Buffers' getters of a text's
 * bytes: each call changes how the message stores the text, and the next one changes it back.
 */
final class Texts {
    static final int UTF8_BYTES_PER_CHAR_MAX = 3;

    /** Names are cut at this length in messages. */
    private static final int NAME_CHARS_MAX = 80;

    private Texts() {}

    /** Length of the text in UTF-8. */
    static int utf8Bytes(String text) {
        int bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next >= 0x80) {
                // a surrogate is half of a four-byte character
                bytes += next < 0x800 || Character.isSurrogate(next) ? 1 : 2;
            }
        }
        return bytes;
    }

    static String shortened(String name) {
        return name.length() <= NAME_CHARS_MAX ? name : name.substring(0, NAME_CHARS_MAX) + "…";
    }
}
