package petrichor.frontends.appengine.datastore;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.CompiledCursor;
import com.google.protobuf.ByteString;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.IndexPosition;
import java.util.Base64;

/**
 * Cursors of this API, which contain a cursor of the entity layer. The field that holds it is text
 * in some SDKs, hence Base64. Stateless.
 */
final class CompiledCursors {
    private CompiledCursors() {}

    /**
     * @param cursor of the entity layer
     */
    static CompiledCursor of(byte[] cursor) {
        return CompiledCursor.newBuilder()
                .setAbsolutePosition(
                        IndexPosition.newBuilder()
                                .setKey(
                                        Base64.getUrlEncoder()
                                                .withoutPadding()
                                                .encodeToString(cursor))
                                .setBefore(false))
                .build();
    }

    /** Whether it denotes the start of every query. */
    static boolean isStart(CompiledCursor cursor) {
        return cursor.getSerializedSize() == 0;
    }

    /** The cursor of the entity layer; empty for the start. */
    static ByteString toV1(CompiledCursor cursor) {
        if (isStart(cursor)) {
            return ByteString.EMPTY;
        }
        V3Error.check(
                cursor.getAbsolutePosition().hasKey(),
                "The cursor is not one of this server; take it from a query's results.");
        try {
            return ByteString.copyFrom(
                    Base64.getUrlDecoder().decode(cursor.getAbsolutePosition().getKey()));
        } catch (IllegalArgumentException e) {
            throw V3Error.badRequest("The cursor is damaged.");
        }
    }
}
