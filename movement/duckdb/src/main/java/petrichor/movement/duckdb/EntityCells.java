package petrichor.movement.duckdb;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Timestamp;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of properties as texts from which DuckDB makes the values of columns. Stateless. */
final class EntityCells {
    static final String BIGINT = "BIGINT";
    static final String DOUBLE = "DOUBLE";
    static final String VARCHAR = "VARCHAR";
    static final String BLOB = "BLOB";
    static final String JSON = "JSON";
    static final String TIMESTAMP = "TIMESTAMP";

    static final String KEY = "__key__";
    static final String ID = "__id__";
    static final String NAME = "__name__";
    static final String PARENT = "__parent__";
    static final String NAMESPACE = "__namespace__";
    static final String VERSION = "__version__";

    /** A property may have the name of another column. */
    private static final String PROPERTY = "property:";

    private EntityCells() {}

    /** The name of a property's column at the source. */
    static String property(String name) {
        return PROPERTY + name;
    }

    static String nameOf(String property) {
        return property.substring(PROPERTY.length());
    }

    /** Whether a column is no property. */
    static boolean isOwn(String source) {
        return !source.startsWith(PROPERTY);
    }

    /** The columns that every kind has, with their types. */
    static Map<String, String> ownColumns() {
        Map<String, String> types = new LinkedHashMap<>();
        types.put(KEY, VARCHAR);
        types.put(ID, BIGINT);
        types.put(NAME, VARCHAR);
        types.put(PARENT, VARCHAR);
        types.put(NAMESPACE, VARCHAR);
        types.put(VERSION, BIGINT);
        return types;
    }

    static @Nullable String own(String column, Key key, long version) {
        Key.PathElement last = key.getPath(key.getPathCount() - 1);
        return switch (column) {
            case KEY -> text(key, key.getPathCount());
            case ID -> last.hasId() ? Long.toString(last.getId()) : null;
            case NAME -> last.hasName() ? last.getName() : null;
            case PARENT -> key.getPathCount() == 1 ? null : text(key, key.getPathCount() - 1);
            case NAMESPACE -> key.getPartitionId().getNamespaceId();
            case VERSION -> Long.toString(version);
            default -> null;
        };
    }

    /** {@code Book:"Emma"/Page:7}, with the whole names. */
    private static String text(Key key, int elements) {
        StringBuilder text = new StringBuilder();
        for (Key.PathElement element : key.getPathList().subList(0, elements)) {
            text.append(text.isEmpty() ? "" : "/").append(element.getKind()).append(':');
            if (element.hasId()) {
                text.append(element.getId());
            } else {
                text.append(new JsonPrimitive(element.getName()));
            }
        }
        return text.toString();
    }

    /** The type of a column for the value alone; null for a null value, which fits in any. */
    static @Nullable String type(Value value) {
        return switch (value.getValueTypeCase()) {
            case NULL_VALUE, VALUETYPE_NOT_SET -> null;
            case BOOLEAN_VALUE -> "BOOLEAN";
            case INTEGER_VALUE -> BIGINT;
            case DOUBLE_VALUE -> DOUBLE;
            case STRING_VALUE, KEY_VALUE -> VARCHAR;
            case TIMESTAMP_VALUE -> TIMESTAMP;
            case BLOB_VALUE -> BLOB;
            case GEO_POINT_VALUE, ARRAY_VALUE, ENTITY_VALUE -> JSON;
        };
    }

    /** The type of a column that has values of both types. */
    static String wider(String one, String other) {
        if (one.equals(other)) {
            return one;
        }
        boolean numbers =
                (one.equals(BIGINT) || one.equals(DOUBLE))
                        && (other.equals(BIGINT) || other.equals(DOUBLE));
        return numbers ? DOUBLE : JSON;
    }

    /** The conversion of present values; {@code $} is the column. */
    static String widened(String from, String to) {
        if (!to.equals(JSON)) {
            return "CAST($ AS " + to + ")";
        }
        String value = from.equals(BLOB) ? "base64($)" : "$";
        return "CASE WHEN $ IS NULL THEN NULL ELSE to_json(" + value + ") END";
    }

    /** The text of a value for a column of a type that fits. */
    static @Nullable String text(Value value, String type) {
        if (type(value) == null) {
            return null;
        }
        if (type.equals(JSON)) {
            return json(value).toString();
        }
        return switch (value.getValueTypeCase()) {
            case BOOLEAN_VALUE -> Boolean.toString(value.getBooleanValue());
            case INTEGER_VALUE -> Long.toString(value.getIntegerValue());
            case DOUBLE_VALUE -> Double.toString(value.getDoubleValue());
            case STRING_VALUE -> value.getStringValue();
            case KEY_VALUE -> text(value.getKeyValue(), value.getKeyValue().getPathCount());
            case TIMESTAMP_VALUE -> time(value.getTimestampValue());
            case BLOB_VALUE -> HexFormat.of().formatHex(value.getBlobValue().toByteArray());
            case GEO_POINT_VALUE, ARRAY_VALUE, ENTITY_VALUE -> json(value).toString();
            case NULL_VALUE, VALUETYPE_NOT_SET -> null;
        };
    }

    private static String time(Timestamp time) {
        return CopyTimes.text(
                LocalDateTime.ofEpochSecond(time.getSeconds(), time.getNanos(), ZoneOffset.UTC));
    }

    private static JsonElement json(Value value) {
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
            case KEY_VALUE ->
                    new JsonPrimitive(
                            text(value.getKeyValue(), value.getKeyValue().getPathCount()));
            case TIMESTAMP_VALUE -> new JsonPrimitive(time(value.getTimestampValue()));
            case BLOB_VALUE ->
                    new JsonPrimitive(
                            Base64.getEncoder().encodeToString(value.getBlobValue().toByteArray()));
            case GEO_POINT_VALUE -> {
                JsonObject point = new JsonObject();
                point.addProperty("latitude", value.getGeoPointValue().getLatitude());
                point.addProperty("longitude", value.getGeoPointValue().getLongitude());
                yield point;
            }
            case ARRAY_VALUE -> {
                JsonArray array = new JsonArray();
                value.getArrayValue().getValuesList().forEach(one -> array.add(json(one)));
                yield array;
            }
            case ENTITY_VALUE -> json(value.getEntityValue());
        };
    }

    private static JsonObject json(Entity entity) {
        JsonObject object = new JsonObject();
        entity.getPropertiesMap().forEach((name, value) -> object.add(name, json(value)));
        return object;
    }
}
