package petrichor.entities;

/**
 * Names in messages, and how long a text is. Protocol Buffers' getters of a text's bytes are
 * avoided throughout: each call changes how the message keeps the text, and the next one changes it
 * back.
 */
final class Texts {
    static final int UTF8_BYTES_PER_CHAR_MAX = 3;

    /** More of a name than this doesn't help to recognize it. */
    private static final int NAME_CHARS_MAX = 80;

    private Texts() {}

    /** How many bytes the text has in UTF-8. */
    static int utf8Bytes(String text) {
        int bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next >= 0x80) {
                // a surrogate is half of a character of four bytes
                bytes += next < 0x800 || Character.isSurrogate(next) ? 1 : 2;
            }
        }
        return bytes;
    }

    static String shortened(String name) {
        return name.length() <= NAME_CHARS_MAX ? name : name.substring(0, NAME_CHARS_MAX) + "…";
    }
}
