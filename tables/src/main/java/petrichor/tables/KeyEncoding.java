package petrichor.tables;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import petrichor.base.OrderedWriter;

/**
 * Encodes values in keys, so that the order of the bytes is the order of the values. One way: the
 * row holds the values themselves. Values that compare as equal have the same bytes, such as 1.0
 * and 1.00. Strings are ordered by UTF-16 code units, as the executor compares them. NULL comes
 * after all values, or before them in descending order, as in PostgreSQL.
 */
public final class KeyEncoding {
    private static final int VALUE = 0x01;
    private static final int NULL = 0xFE;

    private static final int NEGATIVE = 0;
    private static final int ZERO = 1;
    private static final int POSITIVE = 2;

    private static final int ELEMENTS_END = 0;
    private static final int ELEMENT_NULL = 1;
    private static final int ELEMENT = 2;

    private static final long MICROS_PER_DAY = 86_400_000_000L;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private KeyEncoding() {}

    /** Appends a value in ascending or descending order. */
    static void put(OrderedWriter key, @Nullable Object value, DataType type, boolean descending) {
        int from = key.length();
        if (value == null) {
            key.put(NULL);
        } else {
            key.put(VALUE);
            putValue(key, value, type);
        }
        if (descending) {
            key.invertSince(from);
        }
    }

    private static void putValue(OrderedWriter key, Object value, DataType type) {
        switch (value) {
            case Boolean truth -> key.put(truth ? 1 : 0);
            case Integer number -> putInteger(key, number, type);
            case Long number -> putInteger(key, number, type);
            case Float number -> putDouble(key, number);
            case Double number -> putDouble(key, number);
            case BigDecimal number -> putDecimal(key, number);
            case String text -> key.putString(codeUnits(text));
            case byte[] bytes -> key.putString(bytes);
            case LocalDate date -> key.putLong(flipped(date.toEpochDay()));
            case LocalTime time -> key.putLong(time.toNanoOfDay());
            case OffsetTime time ->
                    key.putLong(
                            flipped(
                                    time.toLocalTime().toNanoOfDay()
                                            - time.getOffset().getTotalSeconds()
                                                    * NANOS_PER_SECOND));
            case LocalDateTime time ->
                    key.putLong(flipped(time.toEpochSecond(java.time.ZoneOffset.UTC)))
                            .putInt(time.get(ChronoField.NANO_OF_SECOND));
            case OffsetDateTime time ->
                    key.putLong(flipped(time.toEpochSecond()))
                            .putInt(time.get(ChronoField.NANO_OF_SECOND));
            case TimeInterval span ->
                    key.putLong(flipped(span.months()))
                            .putLong(flipped(span.days() * MICROS_PER_DAY + span.micros()));
            case UUID uuid ->
                    key.putLong(uuid.getMostSignificantBits())
                            .putLong(uuid.getLeastSignificantBits());
            case List<?> elements -> putArray(key, elements);
            default ->
                    throw new IllegalArgumentException("not a value of a key: " + value.getClass());
        }
    }

    private static void putInteger(OrderedWriter key, long number, DataType type) {
        if (type == DataType.BIGINT || number != (int) number) {
            key.putLong(flipped(number));
        } else {
            key.putInt((int) number ^ Integer.MIN_VALUE);
        }
    }

    private static long flipped(long number) {
        return number ^ Long.MIN_VALUE;
    }

    private static void putDouble(OrderedWriter key, double number) {
        long bits = Double.doubleToLongBits(number == 0 ? 0.0 : number);
        key.putLong(bits < 0 ? ~bits : flipped(bits));
    }

    /** Sign, position of the decimal point, and pairs of digits without trailing zeros. */
    private static void putDecimal(OrderedWriter key, BigDecimal number) {
        if (number.signum() == 0) {
            key.put(ZERO);
            return;
        }
        key.put(number.signum() < 0 ? NEGATIVE : POSITIVE);
        int from = key.length();
        String digits = number.unscaledValue().abs().toString();
        key.putInt((digits.length() - number.scale()) ^ Integer.MIN_VALUE);
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        for (int i = 0; i < end; i += 2) {
            int low = i + 1 < end ? digits.charAt(i + 1) - '0' : 0;
            key.put((digits.charAt(i) - '0') * 10 + low + 1);
        }
        key.put(0);
        if (number.signum() < 0) {
            key.invertSince(from);
        }
    }

    /** As UTF-8, but surrogates one by one: the order of bytes is that of UTF-16 code units. */
    private static byte[] codeUnits(String text) {
        boolean surrogates = false;
        for (int i = 0; i < text.length() && !surrogates; i++) {
            surrogates = Character.isSurrogate(text.charAt(i));
        }
        if (!surrogates) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        OrderedWriter bytes = new OrderedWriter(3 * text.length());
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            if (Character.isSurrogate(unit)) {
                bytes.put(0xE0 | (unit >> 12))
                        .put(0x80 | ((unit >> 6) & 0x3F))
                        .put(0x80 | (unit & 0x3F));
            } else {
                bytes.putEncoded(String.valueOf(unit).getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toBytes();
    }

    private static void putArray(OrderedWriter key, List<?> elements) {
        for (Object element : elements) {
            if (element == null) {
                key.put(ELEMENT_NULL);
            } else {
                key.put(ELEMENT);
                putValue(key, element, DataType.BIGINT);
            }
        }
        key.put(ELEMENTS_END);
    }
}
