package petrichor.entities;

import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.NullValue;
import com.google.protobuf.Timestamp;
import com.google.type.LatLng;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;

/**
 * Order-preserving encoding of indexed values, in Datastore's order: null &lt; integers and
 * timestamps (as microseconds) &lt; booleans &lt; strings and byte strings &lt; floating-point
 * numbers &lt; geographical points &lt; users &lt; keys.
 *
 * <p>Types that share an order are distinguished by a byte after the ordered part: an integer comes
 * just before the timestamp of the same number, a string just before the same bytes as a blob. NaN
 * is one value, before negative infinity; -0.0 is 0.0. Timestamps are rounded down to microseconds.
 * {@code meaning} and {@code exclude_from_indexes} are not kept. Arrays and entities other than
 * {@link UserValues} are not ordered: their elements and properties are indexed instead. Stateless.
 */
public final class ValueCodec {
    private static final int NULL = 0x08;
    private static final int FIXED_POINT = 0x10;
    private static final int BOOLEAN = 0x18;
    private static final int BYTES = 0x20;
    private static final int DOUBLE = 0x28;
    private static final int GEO_POINT = 0x30;
    private static final int USER = 0x38;
    private static final int KEY = 0x40;

    private static final int INTEGER = 0;
    private static final int TIMESTAMP = 1;
    private static final int STRING = 0;
    private static final int BLOB = 1;

    private static final long MICROS_PER_SECOND = 1_000_000;

    private ValueCodec() {}

    public static byte[] encode(Value value, SortOrder order) {
        OrderedWriter out = new OrderedWriter();
        put(out, value, order);
        return out.toBytes();
    }

    static void put(OrderedWriter out, Value value, SortOrder order) {
        int from = out.length();
        switch (value.getValueTypeCase()) {
            case NULL_VALUE, VALUETYPE_NOT_SET -> out.put(NULL);
            case INTEGER_VALUE ->
                    out.put(FIXED_POINT).putLong(flip(value.getIntegerValue())).put(INTEGER);
            case TIMESTAMP_VALUE ->
                    out.put(FIXED_POINT)
                            .putLong(flip(micros(value.getTimestampValue())))
                            .put(TIMESTAMP);
            case BOOLEAN_VALUE -> out.put(BOOLEAN).put(value.getBooleanValue() ? 1 : 0);
            case STRING_VALUE -> out.put(BYTES).putString(value.getStringValue()).put(STRING);
            case BLOB_VALUE ->
                    out.put(BYTES).putString(value.getBlobValue().toByteArray()).put(BLOB);
            case DOUBLE_VALUE -> out.put(DOUBLE).putLong(ordered(value.getDoubleValue()));
            case GEO_POINT_VALUE ->
                    out.put(GEO_POINT)
                            .putLong(ordered(value.getGeoPointValue().getLatitude()))
                            .putLong(ordered(value.getGeoPointValue().getLongitude()));
            case KEY_VALUE -> KeyCodec.putKey(out.put(KEY), value.getKeyValue());
            case ENTITY_VALUE -> {
                if (!UserValues.isUser(value)) {
                    throw unordered();
                }
                out.put(USER)
                        .putString(UserValues.email(value))
                        .putString(UserValues.authDomain(value));
            }
            case ARRAY_VALUE -> throw unordered();
        }
        if (order.inverted()) {
            out.invertSince(from);
        }
    }

    private static PetrichorException unordered() {
        return PetrichorException.invalid(
                "An array or an embedded entity has no place in the order of values; use its"
                        + " elements or its properties.");
    }

    /** Whether the value itself can be indexed; arrays, and entities except users, cannot. */
    public static boolean ordered(Value value) {
        return switch (value.getValueTypeCase()) {
            case ARRAY_VALUE -> false;
            case ENTITY_VALUE -> UserValues.isUser(value);
            case NULL_VALUE,
                    VALUETYPE_NOT_SET,
                    INTEGER_VALUE,
                    TIMESTAMP_VALUE,
                    BOOLEAN_VALUE,
                    STRING_VALUE,
                    BLOB_VALUE,
                    DOUBLE_VALUE,
                    GEO_POINT_VALUE,
                    KEY_VALUE ->
                    true;
        };
    }

    public static Value decode(byte[] bytes, int from, SortOrder order) {
        return take(new OrderedReader(bytes, from), order);
    }

    /** The end of the value that starts at {@code from}. */
    public static int skip(byte[] bytes, int from, SortOrder order) {
        OrderedReader in = new OrderedReader(bytes, from);
        skip(in, order);
        return in.position();
    }

    static Value take(OrderedReader in, SortOrder order) {
        in.inverted(order.inverted());
        Value value = take(in);
        in.inverted(false);
        return value;
    }

    private static Value take(OrderedReader in) {
        Value.Builder value = Value.newBuilder();
        switch (in.take()) {
            case NULL -> value.setNullValue(NullValue.NULL_VALUE);
            case FIXED_POINT -> {
                long number = flip(in.takeLong());
                if (in.take() == TIMESTAMP) {
                    value.setTimestampValue(timestamp(number));
                } else {
                    value.setIntegerValue(number);
                }
            }
            case BOOLEAN -> value.setBooleanValue(in.take() == 1);
            case BYTES -> {
                ByteString content = ByteString.copyFrom(in.takeStringBytes());
                if (in.take() == BLOB) {
                    value.setBlobValue(content);
                } else {
                    value.setStringValueBytes(content);
                }
            }
            case DOUBLE -> value.setDoubleValue(number(in.takeLong()));
            case GEO_POINT ->
                    value.setGeoPointValue(
                            LatLng.newBuilder()
                                    .setLatitude(number(in.takeLong()))
                                    .setLongitude(number(in.takeLong())));
            case USER -> value.mergeFrom(UserValues.of(in.takeString(), in.takeString()));
            case KEY -> value.setKeyValue(KeyCodec.takeKey(in));
            default -> throw in.damaged("no type of value starts here");
        }
        return value.build();
    }

    static void skip(OrderedReader in, SortOrder order) {
        in.inverted(order.inverted());
        switch (in.take()) {
            case NULL -> {}
            case FIXED_POINT -> in.skip(9);
            case BOOLEAN -> in.skip(1);
            case BYTES -> {
                in.skipString();
                in.skip(1);
            }
            case DOUBLE -> in.skip(8);
            case GEO_POINT -> in.skip(16);
            case USER -> {
                in.skipString();
                in.skipString();
            }
            case KEY -> KeyCodec.skipKey(in);
            default -> throw in.damaged("no type of value starts here");
        }
        in.inverted(false);
    }

    /** Microseconds since 1970, rounded down. */
    public static long micros(Timestamp timestamp) {
        return timestamp.getSeconds() * MICROS_PER_SECOND
                + Math.floorDiv(timestamp.getNanos(), 1000L);
    }

    public static Timestamp timestamp(long micros) {
        return Timestamp.newBuilder()
                .setSeconds(Math.floorDiv(micros, MICROS_PER_SECOND))
                .setNanos((int) Math.floorMod(micros, MICROS_PER_SECOND) * 1000)
                .build();
    }

    /** Maps signed order to unsigned order. */
    private static long flip(long value) {
        return value ^ Long.MIN_VALUE;
    }

    /**
     * IEEE 754 bits order positive numbers correctly and negative ones in reverse. No number maps
     * to 0, so NaN uses it and is the smallest.
     */
    private static long ordered(double value) {
        if (Double.isNaN(value)) {
            return 0;
        }
        long bits = Double.doubleToLongBits(value == 0.0 ? 0.0 : value);
        return bits < 0 ? ~bits : bits ^ Long.MIN_VALUE;
    }

    private static double number(long ordered) {
        if (ordered == 0) {
            return Double.NaN;
        }
        return Double.longBitsToDouble(ordered < 0 ? ordered ^ Long.MIN_VALUE : ~ordered);
    }
}
