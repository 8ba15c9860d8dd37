package petrichor.tuples;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import petrichor.base.PetrichorException;

/** Checks of keys, names and values of tags. */
final class BoundedText {
    private static final int SHOWN_CHARS_MAX = 80;

    private BoundedText() {}

    /** INVALID_ARGUMENT unless it is text of 1 to {@code bytesMax} bytes in UTF-8. */
    static void require(String what, String text, int bytesMax) {
        if (text.isEmpty()) {
            throw PetrichorException.invalid("{what} is empty.", "what", what);
        }
        int bytes;
        try {
            bytes =
                    StandardCharsets.UTF_8
                            .newEncoder()
                            .encode(java.nio.CharBuffer.wrap(text))
                            .remaining();
        } catch (CharacterCodingException unpaired) {
            throw PetrichorException.of(
                    petrichor.base.ErrorCode.INVALID_ARGUMENT,
                    unpaired,
                    "{what} is not valid Unicode.",
                    "what",
                    what);
        }
        if (bytes > bytesMax) {
            throw PetrichorException.invalid(
                    "{what} has {bytes} bytes; at most {bytesMax} are allowed.",
                    "what",
                    what,
                    "bytes",
                    bytes,
                    "bytesMax",
                    bytesMax);
        }
    }

    static String shown(String text) {
        return text.length() <= SHOWN_CHARS_MAX ? text : text.substring(0, SHOWN_CHARS_MAX) + "…";
    }
}
