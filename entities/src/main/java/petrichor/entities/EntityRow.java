package petrichor.entities;

import com.google.datastore.v1.Entity;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.Row;

/**
 * Encoding of an entity row: the create time (eight bytes, microseconds since 1970), then the
 * serialized entity with its complete key. A creating transaction does not know the version of its
 * commit yet, so 0 means the version of the row itself. Stateless.
 */
public final class EntityRow {
    private static final int HEADER_BYTES = 8;
    private static final byte[] NO_CURSOR = {};

    private EntityRow() {}

    /**
     * @param createTime of the replaced entity; 0 if there is none
     */
    static byte[] encode(long createTime, Entity entity) {
        int bytes = entity.getSerializedSize();
        byte[] value = new byte[HEADER_BYTES + bytes];
        ByteBuffer.wrap(value).putLong(createTime);
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(value, HEADER_BYTES, bytes);
            entity.writeTo(out);
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new IllegalStateException("an entity changed while it was written", e);
        }
        return value;
    }

    /** Microseconds since 1970. */
    public static long createTime(long version, byte[] value) {
        long createTime = ByteBuffer.wrap(value).getLong();
        return createTime == 0 ? version : createTime;
    }

    /** The serialized entity. */
    public static byte[] entityBytes(byte[] value) {
        return Arrays.copyOfRange(value, HEADER_BYTES, value.length);
    }

    public static Entity entity(byte[] value) {
        try {
            return Entity.parser().parseFrom(value, HEADER_BYTES, value.length - HEADER_BYTES);
        } catch (InvalidProtocolBufferException e) {
            throw PetrichorException.of(ErrorCode.INTERNAL, e, "A stored entity is damaged.");
        }
    }

    /** The whole entity, unparsed. */
    public static EntityHit hit(Row row) {
        return hit(row.version(), row.value(), NO_CURSOR);
    }

    public static EntityHit hit(long version, byte[] value, byte[] cursor) {
        return new EntityHit(
                entityBytes(value), version, createTime(version, value), version, cursor);
    }
}
