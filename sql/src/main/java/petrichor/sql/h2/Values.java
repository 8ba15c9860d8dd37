package petrichor.sql.h2;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.h2.api.IntervalQualifier;
import org.h2.table.Column;
import org.h2.util.IntervalUtils;
import org.h2.util.JSR310Utils;
import org.h2.value.ExtTypeInfo;
import org.h2.value.TypeInfo;
import org.h2.value.Value;
import org.h2.value.ValueArray;
import org.h2.value.ValueBigint;
import org.h2.value.ValueBoolean;
import org.h2.value.ValueChar;
import org.h2.value.ValueDecfloat;
import org.h2.value.ValueDouble;
import org.h2.value.ValueInteger;
import org.h2.value.ValueInterval;
import org.h2.value.ValueJson;
import org.h2.value.ValueNull;
import org.h2.value.ValueNumeric;
import org.h2.value.ValueReal;
import org.h2.value.ValueSmallint;
import org.h2.value.ValueUuid;
import org.h2.value.ValueVarbinary;
import org.h2.value.ValueVarchar;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.tables.TimeInterval;

/** Types and values of H2 and ours. */
final class Values {
    /** From this length on, a string has no limit. */
    private static final long LONG = 1_000_000;

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long SECONDS_PER_DAY = 86_400;
    private static final long NANOS_PER_MICRO = 1_000;

    private Values() {}

    static ColumnType type(TypeInfo info) {
        int valueType = info.getValueType();
        return switch (valueType) {
            case Value.BOOLEAN -> ColumnType.of(DataType.BOOLEAN);
            case Value.TINYINT, Value.SMALLINT -> ColumnType.of(DataType.SMALLINT);
            case Value.INTEGER -> ColumnType.of(DataType.INTEGER);
            case Value.BIGINT -> ColumnType.of(DataType.BIGINT);
            case Value.NUMERIC ->
                    info.getPrecision() >= LONG / 10
                            ? ColumnType.of(DataType.NUMERIC)
                            : new ColumnType(
                                    DataType.NUMERIC,
                                    (int) info.getPrecision(),
                                    info.getScale(),
                                    null);
            case Value.DECFLOAT -> ColumnType.of(DataType.NUMERIC);
            case Value.REAL -> ColumnType.of(DataType.REAL);
            case Value.DOUBLE -> ColumnType.of(DataType.DOUBLE);
            case Value.CHAR -> sized(DataType.CHAR, info);
            case Value.VARCHAR ->
                    info.getPrecision() >= LONG
                            ? ColumnType.of(DataType.TEXT)
                            : sized(DataType.VARCHAR, info);
            case Value.VARCHAR_IGNORECASE, Value.CLOB, Value.ENUM -> ColumnType.of(DataType.TEXT);
            case Value.BINARY, Value.VARBINARY, Value.BLOB -> ColumnType.of(DataType.BYTEA);
            case Value.DATE -> ColumnType.of(DataType.DATE);
            case Value.TIME -> fraction(DataType.TIME, info);
            case Value.TIME_TZ -> fraction(DataType.TIMETZ, info);
            case Value.TIMESTAMP -> fraction(DataType.TIMESTAMP, info);
            case Value.TIMESTAMP_TZ -> fraction(DataType.TIMESTAMPTZ, info);
            case Value.UUID -> ColumnType.of(DataType.UUID);
            case Value.JSON -> ColumnType.of(DataType.JSON);
            case Value.ARRAY -> ColumnType.arrayOf(element(info));
            case Value.NULL, Value.UNKNOWN -> ColumnType.UNKNOWN;
            default ->
                    valueType >= Value.INTERVAL_YEAR && valueType <= Value.INTERVAL_MINUTE_TO_SECOND
                            ? ColumnType.of(DataType.INTERVAL)
                            : ColumnType.of(DataType.TEXT);
        };
    }

    /** Of a column of a result, in which the difference of two dates is a number of days. */
    static ColumnType resultType(TypeInfo info) {
        return info.getValueType() == Value.INTERVAL_DAY
                ? ColumnType.of(DataType.INTEGER)
                : type(info);
    }

    /** A value of such a column. */
    static @Nullable Object result(Value value) {
        return value instanceof ValueInterval days && value.getValueType() == Value.INTERVAL_DAY
                ? (Object)
                        Math.toIntExact(days.isNegative() ? -days.getLeading() : days.getLeading())
                : toJava(value);
    }

    private static ColumnType element(TypeInfo info) {
        ExtTypeInfo element = info.getExtTypeInfo();
        return element instanceof TypeInfo type ? type(type) : ColumnType.UNKNOWN;
    }

    private static ColumnType sized(DataType type, TypeInfo info) {
        long length = info.getPrecision();
        return length <= 0 || length >= LONG
                ? ColumnType.of(type)
                : new ColumnType(type, (int) length, 0, null);
    }

    private static ColumnType fraction(DataType type, TypeInfo info) {
        return new ColumnType(type, info.getScale(), 0, null);
    }

    /** Whether a column of this type can be stored. */
    static boolean storable(TypeInfo info) {
        return switch (info.getValueType()) {
            case Value.CLOB,
                    Value.BLOB,
                    Value.ENUM,
                    Value.VARCHAR_IGNORECASE,
                    Value.JAVA_OBJECT,
                    Value.GEOMETRY,
                    Value.ROW ->
                    false;
            default -> true;
        };
    }

    static void requireStorable(Column[] columns) {
        for (Column column : columns) {
            if (!storable(column.getType())) {
                throw H2Errors.unsupported(
                        "columns of type "
                                + column.getType().getTraceSQL()
                                + "; use text or bytea");
            }
        }
    }

    /** Whether the order of encoded values is that of H2. */
    static boolean ordered(TypeInfo info) {
        return switch (type(info).type()) {
            case BOOLEAN,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    NUMERIC,
                    REAL,
                    DOUBLE,
                    CHAR,
                    VARCHAR,
                    TEXT,
                    BYTEA,
                    DATE,
                    TIME,
                    TIMESTAMP,
                    TIMESTAMPTZ,
                    UUID ->
                    true;
            case TIMETZ, INTERVAL, JSON, ARRAY, UNKNOWN -> false;
        };
    }

    /** A value of H2 as one of ours. */
    static @Nullable Object toJava(Value value) {
        return switch (value.getValueType()) {
            case Value.NULL -> null;
            case Value.BOOLEAN -> value.getBoolean();
            case Value.TINYINT, Value.SMALLINT, Value.INTEGER -> value.getInt();
            case Value.BIGINT -> value.getLong();
            case Value.NUMERIC, Value.DECFLOAT -> decimal(value);
            case Value.REAL -> value.getFloat();
            case Value.DOUBLE -> value.getDouble();
            case Value.CHAR -> value.getString().stripTrailing();
            case Value.BINARY, Value.VARBINARY, Value.BLOB -> value.getBytesNoCopy();
            case Value.DATE -> JSR310Utils.valueToLocalDate(value, null);
            case Value.TIME -> JSR310Utils.valueToLocalTime(value, null);
            case Value.TIME_TZ -> JSR310Utils.valueToOffsetTime(value, null);
            case Value.TIMESTAMP -> JSR310Utils.valueToLocalDateTime(value, null);
            case Value.TIMESTAMP_TZ -> JSR310Utils.valueToOffsetDateTime(value, null);
            case Value.UUID -> ((ValueUuid) value).getUuid();
            case Value.ARRAY -> {
                Value[] elements = ((ValueArray) value).getList();
                List<@Nullable Object> list = new ArrayList<>(elements.length);
                for (Value element : elements) {
                    list.add(toJava(element));
                }
                yield Collections.unmodifiableList(list);
            }
            default ->
                    value instanceof ValueInterval interval
                            ? interval(interval)
                            : value.getString();
        };
    }

    /** A number, or not a number or an infinity as a double. */
    private static Object decimal(Value value) {
        if (value instanceof ValueDecfloat number && !number.isFinite()) {
            return number.getDouble();
        }
        return value.getBigDecimal();
    }

    private static TimeInterval interval(ValueInterval value) {
        try {
            return exact(value);
        } catch (ArithmeticException large) {
            throw new SqlException(SqlState.DATETIME_OVERFLOW, "interval out of range", large);
        }
    }

    private static TimeInterval exact(ValueInterval value) {
        if (value.getQualifier().isYearMonth()) {
            BigInteger months = IntervalUtils.intervalToAbsolute(value);
            return new TimeInterval(months.intValueExact(), 0, 0);
        }
        if ((!value.getQualifier().hasMultipleFields()
                        && value.getQualifier() != IntervalQualifier.DAY)
                || value.getQualifier() == IntervalQualifier.HOUR_TO_SECOND
                || value.getQualifier() == IntervalQualifier.HOUR_TO_MINUTE
                || value.getQualifier() == IntervalQualifier.MINUTE_TO_SECOND) {
            // Hours that are not days.
            BigInteger micros =
                    IntervalUtils.intervalToAbsolute(value)
                            .divide(BigInteger.valueOf(NANOS_PER_MICRO));
            return new TimeInterval(0, 0, micros.longValueExact());
        }
        BigInteger[] seconds =
                IntervalUtils.intervalToAbsolute(value)
                        .divide(BigInteger.valueOf(NANOS_PER_MICRO))
                        .divideAndRemainder(
                                BigInteger.valueOf(SECONDS_PER_DAY * MICROS_PER_SECOND));
        return new TimeInterval(0, seconds[0].intValueExact(), seconds[1].longValueExact());
    }

    /** One of our values as one of H2. */
    static Value toH2(@Nullable Object value) {
        return switch (value) {
            case null -> ValueNull.INSTANCE;
            case Boolean truth -> ValueBoolean.get(truth);
            case Integer number -> ValueInteger.get(number);
            case Long number -> ValueBigint.get(number);
            case Short number -> ValueSmallint.get(number);
            case Float number -> ValueReal.get(number);
            case Double number -> ValueDouble.get(number);
            case BigDecimal number -> numeric(number);
            case String text -> ValueVarchar.get(text);
            case JsonText json -> ValueJson.fromJson(json.text());
            case byte[] bytes -> ValueVarbinary.getNoCopy(bytes);
            case LocalDate date -> JSR310Utils.localDateToValue(date);
            case LocalTime time -> JSR310Utils.localTimeToValue(time);
            case OffsetTime time -> JSR310Utils.offsetTimeToValue(time);
            case LocalDateTime time -> JSR310Utils.localDateTimeToValue(time);
            case OffsetDateTime time -> JSR310Utils.offsetDateTimeToValue(time);
            case UUID uuid -> ValueUuid.get(uuid);
            case TimeInterval span -> interval(span);
            case List<?> elements -> {
                Value[] list = new Value[elements.size()];
                for (int i = 0; i < list.length; i++) {
                    list[i] = toH2(elements.get(i));
                }
                yield ValueArray.get(list, null);
            }
            default -> throw new IllegalArgumentException("not a value: " + value.getClass());
        };
    }

    private static Value numeric(BigDecimal number) {
        return number.scale() < 0 ? ValueNumeric.get(number.setScale(0)) : ValueNumeric.get(number);
    }

    private static Value interval(TimeInterval span) {
        if (span.days() == 0 && span.micros() == 0 && span.months() != 0) {
            return IntervalUtils.intervalFromAbsolute(
                    IntervalQualifier.YEAR_TO_MONTH, BigInteger.valueOf(span.months()));
        }
        BigInteger nanos =
                BigInteger.valueOf(span.days())
                        .multiply(BigInteger.valueOf(SECONDS_PER_DAY * MICROS_PER_SECOND))
                        .add(BigInteger.valueOf(span.micros()))
                        .multiply(BigInteger.valueOf(NANOS_PER_MICRO));
        return IntervalUtils.intervalFromAbsolute(IntervalQualifier.DAY_TO_SECOND, nanos);
    }

    /** A stored value as a value of the column's type. */
    static Value toH2(@Nullable Object value, TypeInfo type) {
        if (value == null) {
            return ValueNull.INSTANCE;
        }
        return switch (type.getValueType()) {
            case Value.INTEGER, Value.BIGINT, Value.VARCHAR, Value.BOOLEAN -> toH2(value);
            case Value.CHAR -> ValueChar.get((String) value);
            case Value.JSON -> ValueJson.fromJson((String) value);
            default -> toH2(value).convertTo(type, null, null);
        };
    }
}
