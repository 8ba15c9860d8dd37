package petrichor.analytics.worker;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Array;
import java.sql.Blob;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;

/** Types and values of DuckDB's results. Types that PostgreSQL does not have become text. */
final class ResultTransfer {
    private ResultTransfer() {}

    static List<ColumnType> types(ResultSetMetaData data) throws SQLException {
        List<ColumnType> types = new ArrayList<>();
        for (int i = 1; i <= data.getColumnCount(); i++) {
            String name = data.getColumnTypeName(i);
            types.add(
                    name.startsWith("DECIMAL")
                            ? new ColumnType(
                                    DataType.NUMERIC, data.getPrecision(i), data.getScale(i), null)
                            : type(name));
        }
        return types;
    }

    private static ColumnType type(String name) {
        if (name.endsWith("[]")) {
            ColumnType element = type(name.substring(0, name.length() - 2));
            return element.type() == DataType.ARRAY
                    ? ColumnType.of(DataType.TEXT)
                    : ColumnType.arrayOf(element);
        }
        return ColumnType.of(
                switch (name) {
                    case "BOOLEAN" -> DataType.BOOLEAN;
                    case "TINYINT", "SMALLINT", "UTINYINT" -> DataType.SMALLINT;
                    case "INTEGER", "USMALLINT" -> DataType.INTEGER;
                    case "BIGINT", "UINTEGER" -> DataType.BIGINT;
                    case "HUGEINT", "UHUGEINT", "UBIGINT" -> DataType.NUMERIC;
                    case "FLOAT" -> DataType.REAL;
                    case "DOUBLE" -> DataType.DOUBLE;
                    case "BLOB" -> DataType.BYTEA;
                    case "DATE" -> DataType.DATE;
                    case "TIME" -> DataType.TIME;
                    case "TIME WITH TIME ZONE" -> DataType.TIMETZ;
                    case "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS" ->
                            DataType.TIMESTAMP;
                    case "TIMESTAMP WITH TIME ZONE" -> DataType.TIMESTAMPTZ;
                    case "UUID" -> DataType.UUID;
                    case "JSON" -> DataType.JSON;
                    default -> DataType.TEXT;
                });
    }

    static @Nullable Object[] row(ResultSet result, List<ColumnType> types) throws SQLException {
        @Nullable Object[] values = new @Nullable Object[types.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = value(result, i + 1, types.get(i));
        }
        return values;
    }

    private static @Nullable Object value(ResultSet result, int column, ColumnType type)
            throws SQLException {
        Object value =
                switch (type.type()) {
                    case BOOLEAN -> result.getBoolean(column);
                    case SMALLINT, INTEGER -> result.getInt(column);
                    case BIGINT -> result.getLong(column);
                    case REAL -> result.getFloat(column);
                    case DOUBLE -> result.getDouble(column);
                    case TIMESTAMP -> result.getObject(column, LocalDateTime.class);
                    case DATE -> result.getObject(column, LocalDate.class);
                    case TIME -> result.getObject(column, LocalTime.class);
                    case NUMERIC,
                            CHAR,
                            VARCHAR,
                            TEXT,
                            BYTEA,
                            TIMETZ,
                            TIMESTAMPTZ,
                            INTERVAL,
                            UUID,
                            JSON,
                            ARRAY,
                            UNKNOWN ->
                            result.getObject(column);
                };
        return result.wasNull() || value == null ? null : converted(value, type);
    }

    private static Object converted(Object value, ColumnType type) throws SQLException {
        return switch (type.type()) {
            case SMALLINT, INTEGER -> ((Number) value).intValue();
            case BIGINT -> ((Number) value).longValue();
            case NUMERIC ->
                    value instanceof BigInteger whole ? new BigDecimal(whole) : decimal(value);
            case BYTEA ->
                    value instanceof Blob blob ? blob.getBytes(1, (int) blob.length()) : value;
            case TIMETZ -> value instanceof OffsetTime ? value : OffsetTime.parse(value.toString());
            case TIMESTAMPTZ ->
                    value instanceof OffsetDateTime
                            ? value
                            : OffsetDateTime.parse(value.toString());
            case UUID -> value instanceof UUID ? value : UUID.fromString(value.toString());
            case ARRAY -> elements((Array) value, type);
            case CHAR, VARCHAR, TEXT, JSON, INTERVAL, UNKNOWN -> value.toString();
            case BOOLEAN, REAL, DOUBLE, DATE, TIME, TIMESTAMP -> value;
        };
    }

    private static BigDecimal decimal(Object value) {
        return value instanceof BigDecimal known ? known : new BigDecimal(value.toString());
    }

    private static List<@Nullable Object> elements(Array array, ColumnType type)
            throws SQLException {
        ColumnType element = type.element();
        List<@Nullable Object> elements = new ArrayList<>();
        for (Object one : (Object[]) array.getArray()) {
            elements.add(one == null || element == null ? one : converted(one, element));
        }
        return elements;
    }
}
