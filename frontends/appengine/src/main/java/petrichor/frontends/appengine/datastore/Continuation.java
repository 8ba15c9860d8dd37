package petrichor.frontends.appengine.datastore;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Cursor;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import java.util.List;

/**
 * The rest of a query, which Next executes. This API names it by a number, for which a server would
 * have to keep the query. Instead, the message around the number contains the query itself, in a
 * field that SDKs do not know and return unchanged: any server can continue, at any time. The app
 * could change the query; it may run any query anyway. Stateless.
 */
final class Continuation {
    /** Not a field of Google's schema. */
    private static final int QUERY_FIELD = 1_001;

    /** SDKs ignore the number. */
    private static final long NUMBER = 1;

    private Continuation() {}

    static Cursor of(Query rest) {
        return Cursor.newBuilder()
                .setCursor(NUMBER)
                .setApp(rest.getApp())
                .setUnknownFields(
                        UnknownFieldSet.newBuilder()
                                .addField(
                                        QUERY_FIELD,
                                        UnknownFieldSet.Field.newBuilder()
                                                .addLengthDelimited(rest.toByteString())
                                                .build())
                                .build())
                .build();
    }

    static Query query(Cursor cursor) {
        List<ByteString> found =
                cursor.getUnknownFields().getField(QUERY_FIELD).getLengthDelimitedList();
        if (found.size() != 1) {
            throw notFound(cursor);
        }
        try {
            return Query.parseFrom(found.getFirst());
        } catch (InvalidProtocolBufferException e) {
            throw notFound(cursor);
        }
    }

    private static RuntimeException notFound(Cursor cursor) {
        return V3Error.badRequest(
                "Cursor " + Long.toUnsignedString(cursor.getCursor()) + " not found");
    }
}
