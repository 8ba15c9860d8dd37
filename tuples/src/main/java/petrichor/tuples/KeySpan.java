package petrichor.tuples;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * Keys {@code from <= key < to}, in the order of their UTF-8 bytes.
 *
 * @param to null: to the last key
 */
public record KeySpan(byte[] from, byte @Nullable [] to) {
    public static final KeySpan ALL = new KeySpan(new byte[0], null);

    /**
     * @param from empty: from the first key
     * @param to empty: to the last key
     */
    public static KeySpan of(String from, String to) {
        return new KeySpan(
                from.getBytes(StandardCharsets.UTF_8),
                to.isEmpty() ? null : to.getBytes(StandardCharsets.UTF_8));
    }

    /** Keys that begin with the prefix. */
    public static KeySpan ofPrefix(String prefix) {
        byte[] bytes = prefix.getBytes(StandardCharsets.UTF_8);
        return new KeySpan(bytes, Bytes.afterPrefix(bytes));
    }

    boolean isEmpty() {
        return to != null && Bytes.compare(from, to) >= 0;
    }

    /** The keys after this one. */
    KeySpan after(byte[] key) {
        return new KeySpan(Bytes.successor(key), to);
    }

    /** For the continuation of a request. */
    String text() {
        return Bytes.of(from) + ".." + (to == null ? "" : Bytes.of(to));
    }
}
