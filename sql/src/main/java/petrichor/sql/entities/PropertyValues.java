package petrichor.sql.entities;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import com.google.protobuf.NullValue;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Values of properties as values of columns, and back.
 *
 * @param home of keys: partition of the table
 */
record PropertyValues(PartitionId home) {
    /** Longer strings and blobs cannot be indexed, in bytes. */
    private static final int INDEXED_BYTES_MAX = 1_500;

    /** The value must {@linkplain PropertyType#fits fit} the type. */
    @Nullable Object toColumn(@Nullable Value value, PropertyType type) {
        if (value == null
                || value.getValueTypeCase() == Value.ValueTypeCase.NULL_VALUE
                || value.getValueTypeCase() == Value.ValueTypeCase.VALUETYPE_NOT_SET) {
            return null;
        }
        if (type.scalar() == PropertyType.Scalar.JSON) {
            return json(value).toString();
        }
        if (!type.array()) {
            return scalar(value, type.scalar());
        }
        List<@Nullable Object> elements = new ArrayList<>();
        for (Value element : value.getArrayValue().getValuesList()) {
            elements.add(element.hasNullValue() ? null : scalar(element, type.scalar()));
        }
        return elements;
    }

    private Object scalar(Value value, PropertyType.Scalar type) {
        return switch (type) {
            case BOOLEAN -> value.getBooleanValue();
            case INTEGER -> value.getIntegerValue();
            case DOUBLE ->
                    value.hasIntegerValue()
                            ? (double) value.getIntegerValue()
                            : value.getDoubleValue();
            case STRING -> value.getStringValue();
            case BLOB -> value.getBlobValue().toByteArray();
            case TIMESTAMP -> {
                Timestamp time = value.getTimestampValue();
                yield Instant.ofEpochSecond(time.getSeconds(), time.getNanos())
                        .atOffset(ZoneOffset.UTC);
            }
            case KEY -> KeyLiteral.of(value.getKeyValue(), home);
            case JSON -> json(value).toString();
        };
    }

    /** The whole entity: its key, and all properties. */
    String json(Entity entity) {
        JsonObject object = new JsonObject();
        object.addProperty("__key__", KeyLiteral.of(entity.getKey(), home));
        addProperties(object, entity);
        return object.toString();
    }

    private void addProperties(JsonObject object, Entity entity) {
        for (Map.Entry<String, Value> property : entity.getPropertiesMap().entrySet()) {
            object.add(property.getKey(), json(property.getValue()));
        }
    }

    private JsonElement json(Value value) {
        return switch (value.getValueTypeCase()) {
            case NULL_VALUE, VALUETYPE_NOT_SET -> JsonNull.INSTANCE;
            case BOOLEAN_VALUE -> new JsonPrimitive(value.getBooleanValue());
            case INTEGER_VALUE -> new JsonPrimitive(value.getIntegerValue());
            case DOUBLE_VALUE -> {
                double number = value.getDoubleValue();
                yield Double.isFinite(number)
                        ? new JsonPrimitive(number)
                        : new JsonPrimitive(Double.toString(number));
            }
            case STRING_VALUE -> new JsonPrimitive(value.getStringValue());
            case BLOB_VALUE ->
                    new JsonPrimitive(
                            Base64.getEncoder().encodeToString(value.getBlobValue().toByteArray()));
            case TIMESTAMP_VALUE ->
                    new JsonPrimitive(Timestamps.toString(value.getTimestampValue()));
            case KEY_VALUE -> new JsonPrimitive(KeyLiteral.of(value.getKeyValue(), home));
            case GEO_POINT_VALUE -> {
                JsonObject point = new JsonObject();
                point.addProperty("latitude", value.getGeoPointValue().getLatitude());
                point.addProperty("longitude", value.getGeoPointValue().getLongitude());
                yield point;
            }
            case ENTITY_VALUE -> {
                JsonObject object = new JsonObject();
                addProperties(object, value.getEntityValue());
                yield object;
            }
            case ARRAY_VALUE -> {
                JsonArray array = new JsonArray();
                value.getArrayValue().getValuesList().forEach(element -> array.add(json(element)));
                yield array;
            }
        };
    }

    /**
     * @param indexed false if the property is not indexed
     */
    Value toProperty(@Nullable Object column, PropertyType type, boolean indexed) {
        Value.Builder value = Value.newBuilder();
        if (column == null) {
            value.setNullValue(NullValue.NULL_VALUE);
        } else if (type.scalar() == PropertyType.Scalar.JSON) {
            value = parsed((String) column, indexed);
        } else if (type.array()) {
            ArrayValue.Builder elements = ArrayValue.newBuilder();
            for (Object element : (List<?>) column) {
                elements.addValues(toProperty(element, element(type), indexed));
            }
            return value.setArrayValue(elements).build();
        } else {
            scalar(column, type.scalar(), value);
        }
        return value.setExcludeFromIndexes(!indexed || tooLong(value)).build();
    }

    private static PropertyType element(PropertyType type) {
        return new PropertyType(type.scalar(), false);
    }

    private static boolean tooLong(Value.Builder value) {
        return value.getStringValueBytes().size() > INDEXED_BYTES_MAX
                || value.getBlobValue().size() > INDEXED_BYTES_MAX;
    }

    private void scalar(Object column, PropertyType.Scalar type, Value.Builder value) {
        switch (type) {
            case BOOLEAN -> value.setBooleanValue((Boolean) column);
            case INTEGER -> value.setIntegerValue((Long) column);
            case DOUBLE -> value.setDoubleValue((Double) column);
            case STRING -> value.setStringValue((String) column);
            case BLOB -> value.setBlobValue(ByteString.copyFrom((byte[]) column));
            case TIMESTAMP -> {
                Instant time = ((OffsetDateTime) column).toInstant();
                value.setTimestampValue(
                        Timestamp.newBuilder()
                                .setSeconds(time.getEpochSecond())
                                .setNanos(time.getNano() / 1_000 * 1_000));
            }
            case KEY -> value.setKeyValue(KeyLiteral.parse((String) column, home));
            case JSON -> throw new IllegalArgumentException("JSON is not a scalar");
        }
    }

    private static Value.Builder parsed(String json, boolean indexed) {
        try {
            return value(JsonParser.parseString(json), indexed);
        } catch (JsonParseException e) {
            throw PetrichorException.invalid("The value is not JSON: {reason}", "reason", e);
        }
    }

    private static Value.Builder value(JsonElement json, boolean indexed) {
        Value.Builder value = Value.newBuilder();
        if (json instanceof JsonArray array) {
            ArrayValue.Builder elements = ArrayValue.newBuilder();
            array.forEach(element -> elements.addValues(value(element, indexed)));
            return value.setArrayValue(elements);
        }
        if (json instanceof JsonObject object) {
            Entity.Builder embedded = Entity.newBuilder();
            object.entrySet()
                    .forEach(
                            property ->
                                    embedded.putProperties(
                                            property.getKey(),
                                            value(property.getValue(), indexed).build()));
            return value.setEntityValue(embedded).setExcludeFromIndexes(!indexed);
        }
        if (json instanceof JsonPrimitive primitive) {
            if (primitive.isBoolean()) {
                value.setBooleanValue(primitive.getAsBoolean());
            } else if (primitive.isNumber()) {
                number(primitive, value);
            } else {
                value.setStringValue(primitive.getAsString());
            }
        } else {
            value.setNullValue(NullValue.NULL_VALUE);
        }
        return value.setExcludeFromIndexes(!indexed || tooLong(value));
    }

    private static void number(JsonPrimitive primitive, Value.Builder value) {
        try {
            value.setIntegerValue(primitive.getAsBigDecimal().longValueExact());
        } catch (ArithmeticException fraction) {
            value.setDoubleValue(primitive.getAsDouble());
        }
    }
}
