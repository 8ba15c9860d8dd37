package petrichor.kv.mongodb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Encodes keys as text whose order, as MongoDB compares strings, is the order of the keys' bytes.
 * (Binary values would not do: MongoDB sorts all shorter ones first.) Each letter carries six bits,
 * so the text is a third longer than the key and needs no escaping.
 */
final class KeyText {
    /** In ASCII order. */
    private static final byte[] LETTERS =
            "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".getBytes(US_ASCII);

    private static final int BITS = 6;
    private static final byte NO_LETTER = -1;
    private static final byte[] BITS_OF_LETTER = bitsOfLetter();

    private KeyText() {}

    private static byte[] bitsOfLetter() {
        byte[] bits = new byte[Byte.MAX_VALUE + 1];
        Arrays.fill(bits, NO_LETTER);
        for (int i = 0; i < LETTERS.length; i++) {
            bits[LETTERS[i]] = (byte) i;
        }
        return bits;
    }

    static String of(byte[] key) {
        byte[] text = new byte[(key.length * Byte.SIZE + BITS - 1) / BITS];
        int held = 0;
        int heldBits = 0;
        int at = 0;
        for (byte one : key) {
            held = held << Byte.SIZE | (one & 0xFF);
            heldBits += Byte.SIZE;
            while (heldBits >= BITS) {
                heldBits -= BITS;
                text[at++] = LETTERS[held >>> heldBits & 0x3F];
            }
            held &= 0x3F;
        }
        if (heldBits > 0) {
            // Zeros at the end: the smallest of all keys with this prefix.
            text[at] = LETTERS[held << (BITS - heldBits) & 0x3F];
        }
        return new String(text, US_ASCII);
    }

    /** INTERNAL if the text is not an encoded key. */
    static byte[] key(String text) {
        byte[] key = new byte[text.length() * BITS / Byte.SIZE];
        int held = 0;
        int heldBits = 0;
        int at = 0;
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            int bits = letter < BITS_OF_LETTER.length ? BITS_OF_LETTER[letter] : NO_LETTER;
            if (bits == NO_LETTER) {
                throw PetrichorException.of(
                        ErrorCode.INTERNAL,
                        "a document's _id is not an encoded key; another program wrote to"
                                + " Petrichor's collection");
            }
            held = (held << BITS | bits) & 0x3FFF;
            heldBits += BITS;
            if (heldBits >= Byte.SIZE) {
                heldBits -= Byte.SIZE;
                key[at++] = (byte) (held >>> heldBits);
            }
        }
        return key;
    }
}
