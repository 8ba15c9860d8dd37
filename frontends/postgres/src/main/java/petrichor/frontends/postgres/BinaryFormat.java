package petrichor.frontends.postgres;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import petrichor.sql.JsonForm;
import petrichor.sql.SqlException;
import petrichor.tables.ColumnType;
import petrichor.tables.TimeInterval;

/** Values in PostgreSQL's binary format: big-endian, times in microseconds since 2000. */
final class BinaryFormat {
    private static final LocalDate EPOCH_DAY = LocalDate.of(2000, 1, 1);
    private static final LocalDateTime EPOCH = EPOCH_DAY.atStartOfDay();
    private static final long NANOS_PER_MICRO = 1_000;
    private static final int NUMERIC_BASE_DIGITS = 4;
    private static final BigInteger NUMERIC_BASE = BigInteger.valueOf(10_000);
    private static final int NUMERIC_NEGATIVE = 0x4000;
    private static final int NUMERIC_SPECIAL = 0xC000;
    private static final int ELEMENTS_MAX = 10_000_000;

    private BinaryFormat() {}

    /** Not a number, or an infinity. */
    private static byte[] special(double value) {
        int sign = Double.isNaN(value) ? NUMERIC_SPECIAL : value > 0 ? 0xD000 : 0xF000;
        return bytes(8).putShort((short) 0).putShort((short) 0).putShort((short) sign).array();
    }

    static byte[] encode(ColumnType type, Object value) {
        return switch (type.type()) {
            case BOOLEAN -> new byte[] {(byte) ((Boolean) value ? 1 : 0)};
            case SMALLINT -> bytes(2).putShort(((Number) value).shortValue()).array();
            case INTEGER -> bytes(4).putInt(((Number) value).intValue()).array();
            case BIGINT -> bytes(8).putLong(((Number) value).longValue()).array();
            case NUMERIC ->
                    value instanceof BigDecimal number
                            ? numeric(number)
                            : special(((Number) value).doubleValue());
            case REAL -> bytes(4).putFloat((Float) value).array();
            case DOUBLE -> bytes(8).putDouble((Double) value).array();
            case CHAR, VARCHAR, TEXT, UNKNOWN -> value.toString().getBytes(StandardCharsets.UTF_8);
            case BYTEA -> (byte[]) value;
            case DATE ->
                    bytes(4).putInt((int) EPOCH_DAY.until((LocalDate) value, ChronoUnit.DAYS))
                            .array();
            case TIME -> bytes(8).putLong(micros((LocalTime) value)).array();
            case TIMETZ -> {
                OffsetTime time = (OffsetTime) value;
                yield bytes(12)
                        .putLong(micros(time.toLocalTime()))
                        .putInt(-time.getOffset().getTotalSeconds())
                        .array();
            }
            case TIMESTAMP -> bytes(8).putLong(micros((LocalDateTime) value)).array();
            case TIMESTAMPTZ ->
                    bytes(8).putLong(
                                    micros(
                                            ((OffsetDateTime) value)
                                                    .withOffsetSameInstant(ZoneOffset.UTC)
                                                    .toLocalDateTime()))
                            .array();
            case INTERVAL -> {
                TimeInterval interval = (TimeInterval) value;
                yield bytes(16)
                        .putLong(interval.micros())
                        .putInt(interval.days())
                        .putInt(interval.months())
                        .array();
            }
            case UUID -> {
                UUID id = (UUID) value;
                yield bytes(16)
                        .putLong(id.getMostSignificantBits())
                        .putLong(id.getLeastSignificantBits())
                        .array();
            }
            case JSON -> {
                byte[] json = JsonForm.shown(value.toString()).getBytes(StandardCharsets.UTF_8);
                yield bytes(json.length + 1).put((byte) 1).put(json).array();
            }
            case ARRAY -> array(type, (List<?>) value);
        };
    }

    private static ByteBuffer bytes(int length) {
        return ByteBuffer.allocate(length);
    }

    private static long micros(LocalTime time) {
        return time.toNanoOfDay() / NANOS_PER_MICRO;
    }

    private static long micros(LocalDateTime time) {
        return EPOCH.until(time, ChronoUnit.MICROS);
    }

    /** Digits to the base 10,000, with the weight of the first. */
    private static byte[] numeric(BigDecimal value) {
        int scale = Math.max(0, value.scale());
        int padding = (NUMERIC_BASE_DIGITS - scale % NUMERIC_BASE_DIGITS) % NUMERIC_BASE_DIGITS;
        BigInteger left = value.abs().setScale(scale + padding).unscaledValue();
        List<Short> digits = new ArrayList<>();
        while (left.signum() != 0) {
            BigInteger[] parts = left.divideAndRemainder(NUMERIC_BASE);
            digits.add(parts[1].shortValue());
            left = parts[0];
        }
        int weight = digits.size() - (scale + padding) / NUMERIC_BASE_DIGITS - 1;
        int from = 0;
        while (from < digits.size() && digits.get(from) == 0) {
            from++; // zeros at the end are not sent
        }
        byte[] encoded = new byte[8 + 2 * (digits.size() - from)];
        ByteBuffer out = ByteBuffer.wrap(encoded);
        out.putShort((short) (digits.size() - from));
        out.putShort((short) weight);
        out.putShort((short) (value.signum() < 0 ? NUMERIC_NEGATIVE : 0));
        out.putShort((short) scale);
        for (int i = digits.size() - 1; i >= from; i--) {
            out.putShort(digits.get(i));
        }
        return encoded;
    }

    private static byte[] array(ColumnType type, List<?> elements) {
        ColumnType element = type.element() == null ? ColumnType.UNKNOWN : type.element();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(
                bytes(elements.isEmpty() ? 12 : 20)
                        .putInt(elements.isEmpty() ? 0 : 1)
                        .putInt(elements.contains(null) ? 1 : 0)
                        .putInt(TypeOid.of(element).oid())
                        .array());
        byte[] header = out.toByteArray();
        if (!elements.isEmpty()) {
            ByteBuffer.wrap(header).putInt(12, elements.size()).putInt(16, 1);
        }
        out.reset();
        out.writeBytes(header);
        for (Object value : elements) {
            if (value == null) {
                out.writeBytes(bytes(4).putInt(-1).array());
            } else {
                byte[] encoded = encode(element, value);
                out.writeBytes(bytes(4).putInt(encoded.length).array());
                out.writeBytes(encoded);
            }
        }
        return out.toByteArray();
    }

    // ---- reading

    /** 22P03 if the bytes are not a value of the type. */
    static Object decode(ColumnType type, byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            Object value = read(type, in);
            if (in.hasRemaining()) {
                throw invalid(type);
            }
            return value;
        } catch (BufferUnderflowException | IllegalArgumentException short_) {
            throw invalid(type);
        }
    }

    private static SqlException invalid(ColumnType type) {
        return new SqlException(
                "22P03", "incorrect binary data format for a value of type " + type.type());
    }

    private static Object read(ColumnType type, ByteBuffer in) {
        return switch (type.type()) {
            case BOOLEAN -> in.get() != 0;
            case SMALLINT -> (int) in.getShort();
            case INTEGER -> in.getInt();
            // An OID has four bytes.
            case BIGINT -> in.remaining() == 4 ? Integer.toUnsignedLong(in.getInt()) : in.getLong();
            case NUMERIC -> readNumeric(in);
            case REAL -> in.getFloat();
            case DOUBLE -> in.getDouble();
            case CHAR, VARCHAR, TEXT, UNKNOWN -> ClientMessages.utf8(take(in));
            case BYTEA -> {
                byte[] all = new byte[in.remaining()];
                in.get(all);
                yield all;
            }
            case DATE -> EPOCH_DAY.plusDays(in.getInt());
            case TIME -> LocalTime.ofNanoOfDay(in.getLong() * NANOS_PER_MICRO);
            case TIMETZ ->
                    LocalTime.ofNanoOfDay(in.getLong() * NANOS_PER_MICRO)
                            .atOffset(ZoneOffset.ofTotalSeconds(-in.getInt()));
            case TIMESTAMP -> EPOCH.plus(in.getLong(), ChronoUnit.MICROS);
            case TIMESTAMPTZ ->
                    Instant.from(EPOCH.atOffset(ZoneOffset.UTC))
                            .plus(in.getLong(), ChronoUnit.MICROS)
                            .atOffset(ZoneOffset.UTC);
            case INTERVAL -> {
                long micros = in.getLong();
                int days = in.getInt();
                yield new TimeInterval(in.getInt(), days, micros);
            }
            case UUID -> new UUID(in.getLong(), in.getLong());
            case JSON -> {
                ByteBuffer all = take(in);
                // The binary form of jsonb begins with its version, that of json does not.
                if (all.hasRemaining() && all.get(all.position()) == 1) {
                    all.get();
                }
                yield ClientMessages.utf8(all);
            }
            case ARRAY -> readArray(in);
        };
    }

    private static ByteBuffer take(ByteBuffer in) {
        ByteBuffer all = in.slice();
        in.position(in.limit());
        return all;
    }

    private static BigDecimal readNumeric(ByteBuffer in) {
        int digits = in.getShort();
        int weight = in.getShort();
        int sign = in.getShort() & 0xFFFF;
        int scale = in.getShort();
        if (digits < 0 || scale < 0 || (sign & NUMERIC_SPECIAL) == NUMERIC_SPECIAL) {
            throw new SqlException("22P03", "numeric values must be finite");
        }
        BigInteger unscaled = BigInteger.ZERO;
        for (int i = 0; i < digits; i++) {
            unscaled = unscaled.multiply(NUMERIC_BASE).add(BigInteger.valueOf(in.getShort()));
        }
        int shift = NUMERIC_BASE_DIGITS * (digits - 1 - weight);
        BigDecimal value = new BigDecimal(unscaled, shift);
        BigDecimal signed = sign == NUMERIC_NEGATIVE ? value.negate() : value;
        return signed.setScale(scale, java.math.RoundingMode.DOWN);
    }

    private static List<@Nullable Object> readArray(ByteBuffer in) {
        int dimensions = in.getInt();
        in.getInt(); // whether it contains NULL
        ColumnType element = TypeOid.typeOf(in.getInt());
        List<@Nullable Object> values = new ArrayList<>();
        if (dimensions > 1) {
            throw new SqlException("0A000", "arrays of arrays are not supported");
        }
        int count = dimensions == 0 ? 0 : in.getInt();
        if (dimensions == 1) {
            in.getInt(); // lower bound
        }
        if (count < 0 || count > ELEMENTS_MAX) {
            throw new IllegalArgumentException("elements: " + count);
        }
        for (int i = 0; i < count; i++) {
            int length = in.getInt();
            if (length < 0) {
                values.add(null);
            } else {
                if (length > in.remaining()) {
                    throw new BufferUnderflowException();
                }
                byte[] bytes = new byte[length];
                in.get(bytes);
                values.add(decode(element, bytes));
            }
        }
        return Collections.unmodifiableList(values);
    }
}
