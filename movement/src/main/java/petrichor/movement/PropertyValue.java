package petrichor.movement;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.NullValue;
import com.google.protobuf.Timestamp;
import com.google.protobuf.WireFormat;
import com.google.type.LatLng;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The value of an EntityProto property before interpretation: its field determines the wire type,
 * and the property's <em>meaning</em> its interpretation (an int64 may be a timestamp; bytes may be
 * a text, a blob or an embedded entity).
 */
final class PropertyValue {
    static final int INT64 = 1;
    static final int BOOL = 2;
    static final int STRING = 3;
    static final int DOUBLE = 4;
    static final int POINT = 5;
    static final int POINT_X = 6;
    static final int POINT_Y = 7;
    static final int USER = 8;
    static final int USER_EMAIL = 9;
    static final int USER_AUTH_DOMAIN = 10;
    static final int USER_GAIA_ID = 18;
    static final int USER_ID = 19;
    static final int USER_FEDERATED_IDENTITY = 21;
    static final int USER_FEDERATED_PROVIDER = 22;
    static final int REFERENCE = 12;
    static final int REFERENCE_APP = 13;
    static final int REFERENCE_ELEMENT = 14;
    static final int ELEMENT_KIND = 15;
    static final int ELEMENT_ID = 16;
    static final int ELEMENT_NAME = 17;
    static final int REFERENCE_NAMESPACE = 20;
    static final int REFERENCE_DATABASE = 23;

    static final int MEANING_TIMESTAMP = 7;
    static final int MEANING_POINT = 9;
    static final int MEANING_BLOB = 14;
    static final int MEANING_BYTE_STRING = 16;
    static final int MEANING_ENTITY = 19;
    static final int MEANING_USER = 20;
    static final int MEANING_COMPRESSED = 22;
    static final int MEANING_POINT_WITHOUT_MEANING = 23;
    static final int MEANING_EMPTY_LIST = 24;
    static final String URI_COMPRESSED = "ZLIB";

    /** The years 1 and 9999, the range of a Timestamp, in microseconds. */
    private static final long TIMESTAMP_MICROS_MIN = -62_135_596_800_000_000L;

    private static final long TIMESTAMP_MICROS_MAX = 253_402_300_799_999_999L;
    static final long MICROS = 1_000_000;

    private final int depth;
    private final Value.Builder plain = Value.newBuilder();
    private @Nullable ByteString bytes;
    private boolean user;

    private PropertyValue(int depth) {
        this.depth = depth;
    }

    static PropertyValue read(CodedInputStream in, int depth) throws IOException {
        PropertyValue value = new PropertyValue(depth);
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case INT64 -> value.plain.setIntegerValue(in.readInt64());
                case BOOL -> value.plain.setBooleanValue(in.readBool());
                case STRING -> value.bytes = in.readBytes();
                case DOUBLE -> value.plain.setDoubleValue(in.readDouble());
                case POINT -> value.plain.setGeoPointValue(point(in));
                case USER -> {
                    value.user = true;
                    value.plain.setEntityValue(user(in));
                }
                case REFERENCE -> value.plain.setKeyValue(reference(in));
                default -> in.skipField(tag);
            }
        }
        return value;
    }

    /** Converts the property by the rules of Google's SDK. */
    Value asValue(int meaning, String meaningUri, boolean indexed) throws IOException {
        if (meaning == MEANING_EMPTY_LIST) {
            return Value.newBuilder().setArrayValue(ArrayValue.getDefaultInstance()).build();
        }
        Value.Builder value = plain.clone().setExcludeFromIndexes(!indexed);
        if (bytes != null) {
            return bytes(value, bytes, meaning, meaningUri, indexed);
        }
        return switch (value.getValueTypeCase()) {
            case INTEGER_VALUE -> integer(value, meaning);
            case GEO_POINT_VALUE ->
                    meaning == MEANING_POINT
                            ? value.build()
                            : value.setMeaning(MEANING_POINT_WITHOUT_MEANING).build();
            case ENTITY_VALUE -> user ? value.setMeaning(MEANING_USER).build() : value.build();
            case BOOLEAN_VALUE, DOUBLE_VALUE, KEY_VALUE -> value.build();
            case VALUETYPE_NOT_SET -> value.setNullValue(NullValue.NULL_VALUE).build();
            case NULL_VALUE, TIMESTAMP_VALUE, STRING_VALUE, BLOB_VALUE, ARRAY_VALUE ->
                    throw new IllegalStateException("not a wire type of EntityProto");
        };
    }

    private static Value integer(Value.Builder value, int meaning) {
        long micros = value.getIntegerValue();
        if (meaning != MEANING_TIMESTAMP) {
            return value.build();
        }
        if (micros < TIMESTAMP_MICROS_MIN || micros > TIMESTAMP_MICROS_MAX) {
            return value.setMeaning(meaning).build();
        }
        return value.setTimestampValue(
                        Timestamp.newBuilder()
                                .setSeconds(Math.floorDiv(micros, MICROS))
                                .setNanos((int) Math.floorMod(micros, MICROS) * 1_000))
                .build();
    }

    private Value bytes(
            Value.Builder value, ByteString bytes, int meaning, String meaningUri, boolean indexed)
            throws IOException {
        if (meaningUri.equals(URI_COMPRESSED)) {
            return value.setBlobValue(bytes).setMeaning(MEANING_COMPRESSED).build();
        }
        return switch (meaning) {
            case MEANING_ENTITY ->
                    value.setEntityValue(EntityProto.entity(bytes.newCodedInput(), depth + 1))
                            .build();
            case MEANING_BLOB -> value.setBlobValue(bytes).build();
            case MEANING_BYTE_STRING ->
                    value.setBlobValue(bytes).setMeaning(indexed ? 0 : meaning).build();
            case MEANING_COMPRESSED -> value.setBlobValue(bytes).setMeaning(meaning).build();
            default ->
                    bytes.isValidUtf8()
                            ? value.setStringValue(bytes.toStringUtf8()).setMeaning(meaning).build()
                            : value.setBlobValue(bytes).build();
        };
    }

    private static LatLng point(CodedInputStream in) throws IOException {
        LatLng.Builder point = LatLng.newBuilder();
        for (int tag = in.readTag(); !ends(tag, POINT); tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case POINT_X -> point.setLatitude(in.readDouble());
                case POINT_Y -> point.setLongitude(in.readDouble());
                default -> skip(in, tag);
            }
        }
        return point.build();
    }

    private static Entity user(CodedInputStream in) throws IOException {
        Entity.Builder user = Entity.newBuilder();
        for (int tag = in.readTag(); !ends(tag, USER); tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case USER_EMAIL -> user.putProperties("email", unindexed(in.readString()));
                case USER_AUTH_DOMAIN ->
                        user.putProperties("auth_domain", unindexed(in.readString()));
                case USER_GAIA_ID -> {
                    long id = in.readInt64();
                    if (id != 0) {
                        user.putProperties(
                                "internal_id",
                                Value.newBuilder()
                                        .setIntegerValue(id)
                                        .setExcludeFromIndexes(true)
                                        .build());
                    }
                }
                case USER_ID -> user.putProperties("user_id", unindexed(in.readString()));
                case USER_FEDERATED_IDENTITY ->
                        user.putProperties("federated_identity", unindexed(in.readString()));
                case USER_FEDERATED_PROVIDER ->
                        user.putProperties("federated_provider", unindexed(in.readString()));
                default -> skip(in, tag);
            }
        }
        return user.build();
    }

    private static Value unindexed(String text) {
        return Value.newBuilder().setStringValue(text).setExcludeFromIndexes(true).build();
    }

    private static Key reference(CodedInputStream in) throws IOException {
        KeyParts key = new KeyParts();
        for (int tag = in.readTag(); !ends(tag, REFERENCE); tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case REFERENCE_APP -> key.app(in.readString());
                case REFERENCE_NAMESPACE -> key.namespace(in.readString());
                case REFERENCE_DATABASE -> key.database(in.readString());
                case REFERENCE_ELEMENT ->
                        key.element(in, REFERENCE_ELEMENT, ELEMENT_KIND, ELEMENT_ID, ELEMENT_NAME);
                default -> skip(in, tag);
            }
        }
        return key.key();
    }

    private static boolean ends(int tag, int group) {
        return tag == (WireFormat.WIRETYPE_END_GROUP | group << 3);
    }

    private static void skip(CodedInputStream in, int tag) throws IOException {
        if (tag == 0 || !in.skipField(tag)) {
            throw new IOException("a group does not end");
        }
    }
}
