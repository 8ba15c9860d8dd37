package petrichor.services.cache;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import petrichor.base.Bytes;

/**
 * An item as stored in memcached: a header of 13 bytes before the value. memcached's own expiry
 * only frees memory, because the protocol does not return it.
 *
 * @param locked the lock of a deleted key
 */
record MemcachedItem(boolean locked, int flags, Expiry expiry, byte[] value) {
    private static final int HEADER_BYTES = 1 + Integer.BYTES + Long.BYTES;

    byte[] encode() {
        byte[] header =
                ByteBuffer.allocate(HEADER_BYTES)
                        .put((byte) (locked ? 1 : 0))
                        .putInt(flags)
                        .putLong(expiry.epochMicros())
                        .array();
        return Bytes.concat(header, value);
    }

    static MemcachedItem decode(byte[] stored) {
        ByteBuffer header = ByteBuffer.wrap(stored);
        return new MemcachedItem(
                header.get() != 0,
                header.getInt(),
                new Expiry(header.getLong()),
                Arrays.copyOfRange(stored, HEADER_BYTES, stored.length));
    }

    /** memcached's expiry; 0, never, after 2038, which its protocol cannot express. */
    int protocolSeconds() {
        long seconds = expiry.epochSeconds();
        return seconds > Integer.MAX_VALUE ? 0 : (int) seconds;
    }

    CacheItem item(long casId) {
        return new CacheItem(value, flags, casId, locked, expiry, OptionalLong.empty());
    }
}
