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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Reads what {@link ValueWriter} wrote. Bytes that it cannot have written are INTERNAL: the store
 * is damaged. Confined to one thread.
 */
final class ValueReader {
    private final byte[] bytes;
    private final int end;
    private int at;

    ValueReader(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    /** Reads a part of the bytes. */
    ValueReader(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.at = from;
        this.end = to;
    }

    boolean atEnd() {
        return at >= end;
    }

    int take() {
        if (at >= end) {
            throw damaged("it ends too early");
        }
        return bytes[at++] & 0xFF;
    }

    long takeNumber() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            int next = take();
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw damaged("a number is too long");
    }

    int takeCount() {
        long count = takeNumber();
        if (count < 0 || count > end - at) {
            throw damaged("a count is too large");
        }
        return (int) count;
    }

    int takeInt() {
        return (int) takeNumber();
    }

    long takeSigned() {
        long value = takeNumber();
        return value >>> 1 ^ -(value & 1);
    }

    String takeText() {
        int count = takeCount();
        String text = new String(bytes, at, count, StandardCharsets.UTF_8);
        at += count;
        return text;
    }

    byte[] takeBytes() {
        int count = takeCount();
        at += count;
        return Arrays.copyOfRange(bytes, at - count, at);
    }

    private long takeLong() {
        long value = 0;
        for (int i = 0; i < 8; i++) {
            value = (value << 8) | take();
        }
        return value;
    }

    /**
     * @param type decides between the classes of integers; others are in the bytes
     */
    @Nullable Object takeValue(ColumnType type) {
        int tag = take();
        return switch (tag) {
            case ValueWriter.NULL -> null;
            case ValueWriter.FALSE -> false;
            case ValueWriter.TRUE -> true;
            case ValueWriter.INTEGER -> {
                long number = takeSigned();
                if (type.type() == DataType.BIGINT) {
                    yield number;
                }
                yield (int) number;
            }
            case ValueWriter.FLOAT -> Float.intBitsToFloat((int) takeLong());
            case ValueWriter.DOUBLE -> Double.longBitsToDouble(takeLong());
            case ValueWriter.DECIMAL -> {
                int scale = (int) takeSigned();
                yield BigDecimal.valueOf(takeSigned(), scale);
            }
            case ValueWriter.BIG_DECIMAL -> {
                int scale = (int) takeSigned();
                yield new BigDecimal(new BigInteger(takeBytes()), scale);
            }
            case ValueWriter.STRING -> takeText();
            case ValueWriter.BYTES -> takeBytes();
            case ValueWriter.DATE -> LocalDate.ofEpochDay(takeSigned());
            case ValueWriter.TIME -> LocalTime.ofNanoOfDay(takeNumber());
            case ValueWriter.TIMETZ -> {
                LocalTime time = LocalTime.ofNanoOfDay(takeNumber());
                yield OffsetTime.of(time, ZoneOffset.ofTotalSeconds((int) takeSigned()));
            }
            case ValueWriter.TIMESTAMP -> takeDateTime(ZoneOffset.UTC);
            case ValueWriter.TIMESTAMPTZ -> {
                long second = takeSigned();
                int nano = takeInt();
                ZoneOffset offset = ZoneOffset.ofTotalSeconds((int) takeSigned());
                yield OffsetDateTime.of(LocalDateTime.ofEpochSecond(second, nano, offset), offset);
            }
            case ValueWriter.INTERVAL ->
                    new TimeInterval((int) takeSigned(), (int) takeSigned(), takeSigned());
            case ValueWriter.UNIQUE_ID -> new UUID(takeLong(), takeLong());
            case ValueWriter.ARRAY -> takeArray(type);
            default -> throw damaged("a value has the tag " + tag);
        };
    }

    /** Passes a value on, without an object for those that are frequent. */
    void takeValue(int column, ColumnType type, RowSink sink) {
        int tag = take();
        switch (tag) {
            case ValueWriter.NULL -> sink.nullValue(column);
            case ValueWriter.INTEGER -> sink.integer(column, takeSigned());
            case ValueWriter.DOUBLE -> sink.real(column, Double.longBitsToDouble(takeLong()));
            case ValueWriter.DECIMAL -> {
                int scale = (int) takeSigned();
                sink.decimal(column, takeSigned(), scale);
            }
            case ValueWriter.STRING -> {
                int count = takeCount();
                sink.text(column, bytes, at, count);
                at += count;
            }
            default -> {
                at--;
                Object value = takeValue(type);
                if (value == null) {
                    throw damaged("a value is missing");
                }
                sink.value(column, value);
            }
        }
    }

    private LocalDateTime takeDateTime(ZoneOffset offset) {
        long second = takeSigned();
        return LocalDateTime.ofEpochSecond(second, takeInt(), offset);
    }

    private List<@Nullable Object> takeArray(ColumnType type) {
        ColumnType element = type.element() == null ? ColumnType.UNKNOWN : type.element();
        int count = takeCount();
        List<@Nullable Object> elements = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            elements.add(takeValue(element));
        }
        return Collections.unmodifiableList(elements);
    }

    PetrichorException damaged(String what) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "A stored row is damaged: {problem} at byte {at}.",
                "problem",
                what,
                "at",
                at);
    }
}
