package petrichor.kv.cassandra;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the value column: a type byte, then the value. A single column, so that a row is written
 * and compared as a whole.
 */
final class StoredValue {
    private static final byte PLAIN = 0;
    private static final byte VERSIONED = 1;

    /**
     * Deleted at the version of its timestamp. Expires when no older write can be in flight any
     * more.
     */
    private static final byte DELETED = 2;

    private StoredValue() {}

    static ByteBuffer plain(byte[] value) {
        return of(PLAIN, value);
    }

    static ByteBuffer versioned(byte[] value) {
        return of(VERSIONED, value);
    }

    static ByteBuffer deleted() {
        return ByteBuffer.wrap(new byte[] {DELETED});
    }

    private static ByteBuffer of(byte what, byte[] value) {
        byte[] stored = new byte[1 + value.length];
        stored[0] = what;
        System.arraycopy(value, 0, stored, 1, value.length);
        return ByteBuffer.wrap(stored);
    }

    /** Null for a deleted row. */
    static byte @Nullable [] value(ByteBuffer stored) {
        if (stored.get(stored.position()) == DELETED) {
            return null;
        }
        return bytes(stored, 1);
    }

    static boolean isVersioned(ByteBuffer stored) {
        return stored.get(stored.position()) != PLAIN;
    }

    static byte[] bytes(ByteBuffer buffer) {
        return bytes(buffer, 0);
    }

    /** A copy: the buffer's array may belong to the driver. */
    private static byte[] bytes(ByteBuffer buffer, int skipped) {
        int from = buffer.arrayOffset() + buffer.position() + skipped;
        return Arrays.copyOfRange(buffer.array(), from, buffer.arrayOffset() + buffer.limit());
    }
}
