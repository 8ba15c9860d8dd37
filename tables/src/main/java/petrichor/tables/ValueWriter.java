package petrichor.tables;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes values of rows: a tag, and the value in few bytes. Numbers have variable length. Read back
 * by {@link ValueReader}. Confined to one thread.
 */
final class ValueWriter {
    static final int NULL = 0;
    static final int FALSE = 1;
    static final int TRUE = 2;
    static final int INTEGER = 3;
    static final int FLOAT = 4;
    static final int DOUBLE = 5;
    static final int DECIMAL = 6;
    static final int BIG_DECIMAL = 7;
    static final int STRING = 8;
    static final int BYTES = 9;
    static final int DATE = 10;
    static final int TIME = 11;
    static final int TIMETZ = 12;
    static final int TIMESTAMP = 13;
    static final int TIMESTAMPTZ = 14;
    static final int INTERVAL = 15;
    static final int UNIQUE_ID = 16;
    static final int ARRAY = 17;

    private byte[] bytes;
    private int length;

    ValueWriter(int expectedBytes) {
        bytes = new byte[expectedBytes];
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    ValueWriter put(int oneByte) {
        reserve(1);
        bytes[length++] = (byte) oneByte;
        return this;
    }

    ValueWriter putNumber(long value) {
        reserve(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
        return this;
    }

    ValueWriter putSigned(long value) {
        return putNumber(value << 1 ^ value >> 63);
    }

    ValueWriter putText(String text) {
        return putBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    ValueWriter putBytes(byte[] value) {
        putNumber(value.length);
        reserve(value.length);
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
        return this;
    }

    private ValueWriter putLong(long value) {
        reserve(8);
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (value >>> shift);
        }
        return this;
    }

    ValueWriter putValue(@Nullable Object value) {
        return switch (value) {
            case null -> put(NULL);
            case Boolean truth -> put(truth ? TRUE : FALSE);
            case Integer number -> put(INTEGER).putSigned(number);
            case Long number -> put(INTEGER).putSigned(number);
            case Float number -> put(FLOAT).putLong(Float.floatToIntBits(number));
            case Double number -> put(DOUBLE).putLong(Double.doubleToLongBits(number));
            case BigDecimal number -> putDecimal(number);
            case String text -> put(STRING).putText(text);
            case byte[] value1 -> put(BYTES).putBytes(value1);
            case LocalDate date -> put(DATE).putSigned(date.toEpochDay());
            case LocalTime time -> put(TIME).putNumber(time.toNanoOfDay());
            case OffsetTime time ->
                    put(TIMETZ)
                            .putNumber(time.toLocalTime().toNanoOfDay())
                            .putSigned(time.getOffset().getTotalSeconds());
            case LocalDateTime time ->
                    put(TIMESTAMP)
                            .putSigned(time.toEpochSecond(ZoneOffset.UTC))
                            .putNumber(time.get(ChronoField.NANO_OF_SECOND));
            case OffsetDateTime time ->
                    put(TIMESTAMPTZ)
                            .putSigned(time.toEpochSecond())
                            .putNumber(time.get(ChronoField.NANO_OF_SECOND))
                            .putSigned(time.getOffset().getTotalSeconds());
            case TimeInterval span ->
                    put(INTERVAL)
                            .putSigned(span.months())
                            .putSigned(span.days())
                            .putSigned(span.micros());
            case UUID uuid ->
                    put(UNIQUE_ID)
                            .putLong(uuid.getMostSignificantBits())
                            .putLong(uuid.getLeastSignificantBits());
            case List<?> elements -> {
                put(ARRAY).putNumber(elements.size());
                for (Object element : elements) {
                    putValue(element);
                }
                yield this;
            }
            default -> throw new IllegalArgumentException("not a value: " + value.getClass());
        };
    }

    private ValueWriter putDecimal(BigDecimal number) {
        BigInteger unscaled = number.unscaledValue();
        if (unscaled.bitLength() < Long.SIZE) {
            return put(DECIMAL).putSigned(number.scale()).putSigned(unscaled.longValue());
        }
        return put(BIG_DECIMAL).putSigned(number.scale()).putBytes(unscaled.toByteArray());
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }
}
