package petrichor.tuples;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Base64;
import petrichor.base.PetrichorException;

/**
 * Where the next page begins. Needs no state on the server.
 *
 * @param version to be read
 * @param layout in which the position is
 * @param position the last row or key of the previous page
 */
record PagePosition(long version, int layout, byte[] position) {
    private static final int FORMAT = 1;
    private static final int CHARS_MAX = 8 << 10;

    /**
     * @param query a text of the request, which the next one must repeat
     */
    String encode(String query) {
        ByteBuffer bytes =
                ByteBuffer.allocate(
                        1 + Integer.BYTES + Long.BYTES + Integer.BYTES + position.length);
        bytes.put((byte) FORMAT).putInt(hash(query)).putLong(version).putInt(layout).put(position);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    private static int hash(String query) {
        return StableHash.bucket(query, Integer.MAX_VALUE);
    }

    static PagePosition decode(String text, String query) {
        try {
            if (text.length() > CHARS_MAX) {
                throw invalid();
            }
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            if (bytes.get() != FORMAT || bytes.getInt() != hash(query)) {
                throw invalid();
            }
            long version = bytes.getLong();
            int layout = bytes.getInt();
            byte[] position = new byte[bytes.remaining()];
            bytes.get(position);
            if (version < 0) {
                throw invalid();
            }
            return new PagePosition(version, layout, position);
        } catch (IllegalArgumentException | BufferUnderflowException malformed) {
            throw invalid();
        }
    }

    private static PetrichorException invalid() {
        return PetrichorException.invalid(
                "the continuation does not belong to this request; repeat the request that"
                        + " returned it, or begin without one.");
    }
}
