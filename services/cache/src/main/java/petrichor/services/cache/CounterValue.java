package petrichor.services.cache;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** Counters as values of items: unsigned decimal numbers. */
final class CounterValue {
    /** Of 2^64 - 1. */
    static final int DIGITS_MAX = 20;

    private CounterValue() {}

    static byte[] encode(long unsigned) {
        return Long.toUnsignedString(unsigned).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Empty if the value is not a number; spaces around it are permitted, as in memcached. */
    static OptionalLong decode(byte[] value) {
        String text = new String(value, StandardCharsets.ISO_8859_1).strip();
        if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseUnsignedLong(text));
        } catch (NumberFormatException tooLarge) {
            return OptionalLong.empty();
        }
    }
}
