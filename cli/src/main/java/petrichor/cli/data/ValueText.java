package petrichor.cli.data;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.NullValue;
import com.google.protobuf.util.JsonFormat;
import com.google.protobuf.util.Timestamps;
import java.text.ParseException;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Conversion between values and their text on a command line. */
final class ValueText {
    private static final Pattern INTEGER = Pattern.compile("[+-]?\\d{1,18}");
    private static final Pattern DOUBLE =
            Pattern.compile("[+-]?(\\d+\\.\\d*|\\.\\d+|\\d+)([eE][+-]?\\d+)?");
    private static final Pattern TIME =
            Pattern.compile(
                    "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})");

    private ValueText() {}

    /** Parses the value of {@code --bind}; its description lists the forms. */
    static Value parse(String text) {
        Value.Builder value = Value.newBuilder();
        if (text.equals("null")) {
            return value.setNullValue(NullValue.NULL_VALUE).build();
        }
        if (text.equals("true") || text.equals("false")) {
            return value.setBooleanValue(text.equals("true")).build();
        }
        if (INTEGER.matcher(text).matches()) {
            return value.setIntegerValue(Long.parseLong(text)).build();
        }
        if (DOUBLE.matcher(text).matches()) {
            return value.setDoubleValue(Double.parseDouble(text)).build();
        }
        if (TIME.matcher(text).matches()) {
            try {
                return value.setTimestampValue(Timestamps.parse(text)).build();
            } catch (ParseException noTime) {
                return value.setStringValue(text).build();
            }
        }
        boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
        return value.setStringValue(quoted ? text.substring(1, text.length() - 1) : text).build();
    }

    /** Formats a key as a path: {@code Country:"PT"/City:17}. */
    static String of(Key key) {
        return key.getPathList().stream()
                .map(
                        element ->
                                element.getKind()
                                        + ":"
                                        + switch (element.getIdTypeCase()) {
                                            case ID -> String.valueOf(element.getId());
                                            case NAME -> '"' + element.getName() + '"';
                                            case IDTYPE_NOT_SET -> "?";
                                        })
                .collect(Collectors.joining("/"));
    }

    static String of(Value value) {
        return switch (value.getValueTypeCase()) {
            case NULL_VALUE -> "null";
            case BOOLEAN_VALUE -> String.valueOf(value.getBooleanValue());
            case INTEGER_VALUE -> String.valueOf(value.getIntegerValue());
            case DOUBLE_VALUE -> String.valueOf(value.getDoubleValue());
            case TIMESTAMP_VALUE -> json(value).replace("\"", "");
            case KEY_VALUE -> of(value.getKeyValue());
            case STRING_VALUE -> value.getStringValue();
            case BLOB_VALUE -> value.getBlobValue().size() + " bytes";
            case GEO_POINT_VALUE ->
                    value.getGeoPointValue().getLatitude()
                            + ","
                            + value.getGeoPointValue().getLongitude();
            case ENTITY_VALUE -> of(value.getEntityValue());
            case ARRAY_VALUE ->
                    value.getArrayValue().getValuesList().stream()
                            .map(ValueText::of)
                            .collect(Collectors.joining(", ", "[", "]"));
            case VALUETYPE_NOT_SET -> "";
        };
    }

    private static String of(Entity entity) {
        return new TreeMap<>(entity.getPropertiesMap())
                .entrySet().stream()
                        .map(property -> property.getKey() + ": " + of(property.getValue()))
                        .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String json(Value value) {
        try {
            return JsonFormat.printer().print(value.getTimestampValue());
        } catch (InvalidProtocolBufferException outOfRange) {
            return value.getTimestampValue().getSeconds() + " s";
        }
    }
}
