package petrichor.services.blobs;

import java.nio.ByteBuffer;

/** Times as values of rows: microseconds since 1970. */
final class Times {
    private Times() {}

    static byte[] encode(long micros) {
        return ByteBuffer.allocate(Long.BYTES).putLong(micros).array();
    }

    static long decode(byte[] value) {
        return ByteBuffer.wrap(value).getLong();
    }
}
