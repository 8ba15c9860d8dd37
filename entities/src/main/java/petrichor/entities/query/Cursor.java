package petrichor.entities.query;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Encodes cursors: a format version, a fingerprint of the query's order, and the position of the
 * result before the cursor (nothing for the start). They refer to no server state, so they survive
 * restarts.
 */
final class Cursor {
    private static final byte VERSION = 1;
    private static final int HEADER_BYTES = 5;

    private Cursor() {}

    /**
     * @param position of the result before the cursor; null for the start
     */
    static byte[] after(int fingerprint, byte @Nullable [] position) {
        int length = position == null ? 0 : position.length;
        ByteBuffer cursor = ByteBuffer.allocate(HEADER_BYTES + length);
        cursor.put(VERSION).putInt(fingerprint);
        if (position != null) {
            cursor.put(position);
        }
        return cursor.array();
    }

    /** Whether it may come from a query with this fingerprint. */
    static boolean fits(ByteString cursor, int fingerprint) {
        return cursor.size() < HEADER_BYTES
                || cursor.asReadOnlyByteBuffer().getInt(1) == fingerprint;
    }

    /** The position before the cursor; empty for the start of the query. */
    static byte[] position(ByteString cursor, int fingerprint, String field) {
        ByteBuffer bytes = cursor.asReadOnlyByteBuffer();
        if (bytes.remaining() < HEADER_BYTES || bytes.get() != VERSION) {
            throw PetrichorException.invalid(
                    "{field} is not a cursor of this server; take it from a query's results",
                    "field",
                    field);
        }
        if (bytes.getInt() != fingerprint) {
            throw PetrichorException.invalid(
                    "{field} belongs to another query: kind, namespace, order and inequality"
                            + " properties must be those of the query that it came from",
                    "field",
                    field);
        }
        byte[] position = new byte[bytes.remaining()];
        bytes.get(position);
        return position;
    }
}
