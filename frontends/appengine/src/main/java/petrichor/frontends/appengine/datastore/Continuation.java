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
 * field that SDKs do not know and return unchanged: any server can continue, at any time, if the
 * client sends the newest cursor. The app could change the query; it may run any query anyway.
 *
 * @param number of the query in {@link OpenQueries}
 * @param afterFirst whether this is the cursor of the first batch, with which some clients ask for
 *     all following ones
 */
record Continuation(long number, boolean afterFirst, Query rest) {
    /** Not a field of Google's schema; the rest of a query after its first batch. */
    private static final int FIRST_FIELD = 1_001;

    /** The same after later batches. */
    private static final int LATER_FIELD = 1_002;

    Cursor cursor() {
        return Cursor.newBuilder()
                .setCursor(number)
                .setApp(rest.getApp())
                .setUnknownFields(
                        UnknownFieldSet.newBuilder()
                                .addField(
                                        afterFirst ? FIRST_FIELD : LATER_FIELD,
                                        UnknownFieldSet.Field.newBuilder()
                                                .addLengthDelimited(rest.toByteString())
                                                .build())
                                .build())
                .build();
    }

    static Continuation of(Cursor cursor) {
        boolean afterFirst = cursor.getUnknownFields().hasField(FIRST_FIELD);
        List<ByteString> found =
                cursor.getUnknownFields()
                        .getField(afterFirst ? FIRST_FIELD : LATER_FIELD)
                        .getLengthDelimitedList();
        if (found.size() != 1) {
            throw notFound(cursor);
        }
        try {
            return new Continuation(
                    cursor.getCursor(), afterFirst, Query.parseFrom(found.getFirst()));
        } catch (InvalidProtocolBufferException e) {
            throw notFound(cursor);
        }
    }

    private static RuntimeException notFound(Cursor cursor) {
        return V3Error.badRequest(
                "Cursor " + Long.toUnsignedString(cursor.getCursor()) + " not found");
    }
}
