package petrichor.frontends.appengine.datastore;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.NullValue;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property.Meaning;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.PropertyValue;
import com.google.type.LatLng;
import java.util.List;
import petrichor.entities.Limits;
import petrichor.entities.UserValues;
import petrichor.entities.ValueCodec;

/**
 * Translates property values between the two APIs for one app, by the rules of Google's SDKs
 * ({@code datastore_pbs}). A v3 value is an int64, a string of bytes and so on, and its
 * <em>meaning</em> interprets it: an int64 may be a time; a string may be a text, a blob or an
 * embedded entity. In v1 the type says most of this, and the meaning keeps the rest. Immutable.
 */
final class PropertyTranslator {
    /** A v1 value that must be a blob compressed by zlib. */
    private static final int COMPRESSED = 22;

    /** A v1 point that has no meaning in v3. */
    private static final int POINT_WITHOUT_MEANING = 23;

    private static final String COMPRESSED_URI = "ZLIB";

    /** The years 1 and 9999, the range of a Timestamp, in microseconds. */
    private static final long TIME_MICROS_MIN = -62_135_596_800_000_000L;

    private static final long TIME_MICROS_MAX = 253_402_300_799_999_999L;

    /**
     * An integer that is smaller is hardly meant as a time (12 days from 1970), and looking for
     * both takes two index scans.
     */
    private static final long DATE_MICROS_MIN = 1_000_000_000_000L;

    private final KeyTranslator keys;
    private final EntityTranslator entities;

    PropertyTranslator(AppId app, EntityTranslator entities) {
        this.keys = new KeyTranslator(app);
        this.entities = entities;
    }

    /**
     * The values that equal this one: SDKs for Python 3 send text as bytes too, so these may be a
     * text or bytes. The SDK for Java sends times as integers, so large ones may be a time.
     */
    List<Value> equal(Property property) {
        Value value = toV1(property, true, 0);
        if (value.hasBlobValue() && value.getBlobValue().isValidUtf8()) {
            return List.of(low(property), value);
        }
        return value.hasIntegerValue() && mayBeDate(value.getIntegerValue())
                ? List.of(value, high(property))
                : List.of(value);
    }

    private static boolean mayBeDate(long micros) {
        return isTime(micros) && (micros >= DATE_MICROS_MIN || micros <= -DATE_MICROS_MIN);
    }

    /**
     * The smallest of the values that equal this one in the order of this API, in which text and
     * bytes are the same, as are integers and times.
     */
    Value low(Property property) {
        PropertyValue value = property.getValue();
        if (value.hasStringValue() && value.getStringValueBytes().isValidUtf8()) {
            return Value.newBuilder().setStringValueBytes(value.getStringValueBytes()).build();
        }
        return value.hasInt64Value()
                ? Value.newBuilder().setIntegerValue(value.getInt64Value()).build()
                : toV1(property, true, 0);
    }

    /** The largest of the values that equal this one in the order of this API. */
    Value high(Property property) {
        PropertyValue value = property.getValue();
        if (value.hasStringValue()) {
            return Value.newBuilder().setBlobValue(value.getStringValueBytes()).build();
        }
        return value.hasInt64Value() && isTime(value.getInt64Value())
                ? Value.newBuilder()
                        .setTimestampValue(ValueCodec.timestamp(value.getInt64Value()))
                        .build()
                : low(property);
    }

    /**
     * @param depth of the entity, 0 unless it is embedded
     */
    Value toV1(Property property, boolean indexed, int depth) {
        Value.Builder value = Value.newBuilder().setExcludeFromIndexes(!indexed);
        PropertyValue given = property.getValue();
        Meaning meaning = property.getMeaning();
        if (meaning == Meaning.EMPTY_LIST) {
            return value.setArrayValue(ArrayValue.getDefaultInstance()).build();
        }
        if (given.hasBooleanValue()) {
            value.setBooleanValue(given.getBooleanValue());
        } else if (given.hasInt64Value()) {
            setInteger(value, given.getInt64Value(), meaning);
        } else if (given.hasDoubleValue()) {
            value.setDoubleValue(given.getDoubleValue());
        } else if (given.hasReferenceValue()) {
            value.setKeyValue(keys.toV1(given.getReferenceValue()));
        } else if (given.hasStringValue()) {
            setBytes(value, given.getStringValueBytes(), property, indexed, depth);
        } else if (given.hasPointValue()) {
            value.setGeoPointValue(
                    LatLng.newBuilder()
                            .setLatitude(given.getPointValue().getX())
                            .setLongitude(given.getPointValue().getY()));
            if (meaning != Meaning.GEORSS_POINT) {
                value.setMeaning(POINT_WITHOUT_MEANING);
            }
        } else if (given.hasUserValue()) {
            value.setEntityValue(UserTranslator.toV1(given.getUserValue()))
                    .setMeaning(UserValues.MEANING);
        } else {
            value.setNullValue(NullValue.NULL_VALUE);
        }
        return value.build();
    }

    private static void setInteger(Value.Builder value, long number, Meaning meaning) {
        boolean time = meaning == Meaning.GD_WHEN;
        if (time && isTime(number)) {
            value.setTimestampValue(ValueCodec.timestamp(number));
            return;
        }
        value.setIntegerValue(number);
        if (time || meaning == Meaning.GD_RATING || meaning == Meaning.INDEX_VALUE) {
            value.setMeaning(meaning.getNumber());
        }
    }

    private static boolean isTime(long micros) {
        return micros >= TIME_MICROS_MIN && micros <= TIME_MICROS_MAX;
    }

    private void setBytes(
            Value.Builder value, ByteString bytes, Property property, boolean indexed, int depth) {
        Meaning meaning = property.getMeaning();
        if (property.getMeaningUri().equals(COMPRESSED_URI)) {
            value.setBlobValue(bytes).setMeaning(COMPRESSED);
            return;
        }
        switch (meaning) {
            case ENTITY_PROTO -> value.setEntityValue(embedded(property, bytes, depth + 1));
            case BLOB -> value.setBlobValue(bytes);
            case BYTESTRING -> {
                value.setBlobValue(bytes);
                if (!indexed) {
                    value.setMeaning(meaning.getNumber());
                }
            }
            case NO_MEANING,
                    TEXT,
                    ATOM_CATEGORY,
                    ATOM_LINK,
                    ATOM_TITLE,
                    ATOM_CONTENT,
                    ATOM_SUMMARY,
                    ATOM_AUTHOR,
                    GD_EMAIL,
                    GD_IM,
                    GD_PHONENUMBER,
                    GD_POSTALADDRESS,
                    BLOBKEY,
                    INDEX_VALUE -> {
                if (bytes.isValidUtf8()) {
                    value.setStringValueBytes(bytes).setMeaning(meaning.getNumber());
                } else {
                    value.setBlobValue(bytes);
                }
            }
            case GD_WHEN, GD_RATING, GEORSS_POINT, EMPTY_LIST -> {
                // These meanings are not for strings.
                if (bytes.isValidUtf8()) {
                    value.setStringValueBytes(bytes);
                } else {
                    value.setBlobValue(bytes);
                }
            }
        }
    }

    private Entity embedded(Property property, ByteString bytes, int depth) {
        V3Error.check(
                depth <= Limits.NESTING_MAX,
                "The value of property \""
                        + property.getName()
                        + "\" is nested deeper than "
                        + Limits.NESTING_MAX
                        + " embedded entities.");
        try {
            return entities.embeddedToV1(EntityProto.parser().parsePartialFrom(bytes), depth);
        } catch (InvalidProtocolBufferException e) {
            throw V3Error.badRequest(
                    "The value of property \""
                            + property.getName()
                            + "\" has the meaning of an entity but is none.");
        }
    }

    /**
     * @param value not an array, except the empty one
     */
    Property toV3(String name, Value value, boolean multiple) {
        Property.Builder property = Property.newBuilder().setName(name).setMultiple(multiple);
        PropertyValue.Builder result = PropertyValue.newBuilder();
        int meaning = value.getMeaning();
        switch (value.getValueTypeCase()) {
            case BOOLEAN_VALUE -> result.setBooleanValue(value.getBooleanValue());
            case INTEGER_VALUE -> result.setInt64Value(value.getIntegerValue());
            case DOUBLE_VALUE -> result.setDoubleValue(value.getDoubleValue());
            case TIMESTAMP_VALUE -> {
                result.setInt64Value(ValueCodec.micros(value.getTimestampValue()));
                meaning = Meaning.GD_WHEN_VALUE;
            }
            case KEY_VALUE -> result.setReferenceValue(keys.toV3Value(value.getKeyValue()));
            case STRING_VALUE -> result.setStringValueBytes(value.getStringValueBytes());
            case BLOB_VALUE -> {
                result.setStringValueBytes(value.getBlobValue());
                if (meaning == COMPRESSED) {
                    property.setMeaningUri(COMPRESSED_URI);
                }
                meaning = blobMeaning(value);
            }
            case GEO_POINT_VALUE -> {
                result.setPointValue(
                        PropertyValue.PointValue.newBuilder()
                                .setX(value.getGeoPointValue().getLatitude())
                                .setY(value.getGeoPointValue().getLongitude()));
                meaning = meaning == POINT_WITHOUT_MEANING ? 0 : Meaning.GEORSS_POINT_VALUE;
            }
            case ENTITY_VALUE -> {
                if (UserValues.isUser(value)) {
                    result.setUserValue(UserTranslator.toV3(value.getEntityValue()));
                    meaning = 0;
                } else {
                    result.setStringValueBytes(
                            entities.toV3(value.getEntityValue()).toByteString());
                    meaning = Meaning.ENTITY_PROTO_VALUE;
                }
            }
            case ARRAY_VALUE -> meaning = Meaning.EMPTY_LIST_VALUE;
            case NULL_VALUE, VALUETYPE_NOT_SET -> {}
        }
        Meaning known = Meaning.forNumber(meaning);
        if (known != null && known != Meaning.NO_MEANING) {
            property.setMeaning(known);
        }
        return property.setValue(result).build();
    }

    private static int blobMeaning(Value blob) {
        if (blob.getMeaning() == Meaning.BYTESTRING_VALUE || !blob.getExcludeFromIndexes()) {
            return Meaning.BYTESTRING_VALUE;
        }
        return Meaning.BLOB_VALUE;
    }
}
