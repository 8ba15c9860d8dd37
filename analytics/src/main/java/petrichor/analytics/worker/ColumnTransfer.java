package petrichor.analytics.worker;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBLogicalType;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.tables.TimeInterval;

/**
 * How the values of a column reach DuckDB: in a vector of DuckDB's own type, or as text with a
 * cast, for types that table functions cannot return.
 */
final class ColumnTransfer {
    private static final int DECIMAL_DIGITS_MAX = 38;

    /** Fractional digits of NUMERIC without a declared precision. */
    private static final int DECIMAL_SCALE = 10;

    private static final Gson JSON =
            new GsonBuilder().disableHtmlEscaping().serializeNulls().create();

    private final DataType type;
    private final int precision;
    private final int scale;
    private final String sql;
    private final boolean cast;

    private ColumnTransfer(DataType type, int precision, int scale, String sql, boolean cast) {
        this.type = type;
        this.precision = precision;
        this.scale = scale;
        this.sql = sql;
        this.cast = cast;
    }

    static ColumnTransfer of(ColumnType column) {
        DataType type = column.type();
        return switch (type) {
            case BOOLEAN, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE, DATE, TIMESTAMP ->
                    new ColumnTransfer(type, 0, 0, type.name(), false);
            case TIMESTAMPTZ -> new ColumnTransfer(type, 0, 0, "TIMESTAMP WITH TIME ZONE", false);
            case NUMERIC -> decimal(column);
            case CHAR, VARCHAR, TEXT, UNKNOWN -> new ColumnTransfer(type, 0, 0, "VARCHAR", false);
            case BYTEA -> new ColumnTransfer(type, 0, 0, "BLOB", true);
            case TIME, INTERVAL, UUID, JSON -> new ColumnTransfer(type, 0, 0, type.name(), true);
            case TIMETZ -> new ColumnTransfer(type, 0, 0, "TIME WITH TIME ZONE", true);
            case ARRAY -> {
                ColumnType element = column.element();
                String of = element == null ? "VARCHAR" : of(element).sql;
                yield new ColumnTransfer(type, 0, 0, of + "[]", true);
            }
        };
    }

    private static ColumnTransfer decimal(ColumnType column) {
        boolean fits = column.length() > 0 && column.length() <= DECIMAL_DIGITS_MAX;
        int precision = fits ? column.length() : DECIMAL_DIGITS_MAX;
        int scale = fits ? column.scale() : DECIMAL_SCALE;
        String sql = "DECIMAL(" + precision + "," + scale + ")";
        return new ColumnTransfer(DataType.NUMERIC, precision, scale, sql, false);
    }

    /** The type in DuckDB. */
    String sql() {
        return sql;
    }

    /** The column's value from what the vector has. */
    String expression(String column) {
        if (type == DataType.BYTEA) {
            return "unhex(" + column + ")";
        }
        if (type == DataType.ARRAY) {
            String list = "CAST(" + column + " AS JSON)";
            if (sql.equals("BLOB[]")) {
                list = "CAST(" + list + " AS VARCHAR[])"; // JSON's own cast keeps the escapes
            }
            return "CAST(" + list + " AS " + sql + ")";
        }
        return cast ? "CAST(" + column + " AS " + sql + ")" : column;
    }

    void declare(DuckDBTableFunctionBindInfo info, String name) throws SQLException {
        if (type == DataType.NUMERIC) {
            try (DuckDBLogicalType decimal = DuckDBLogicalType.decimal(precision, scale)) {
                info.addResultColumn(name, decimal);
            }
            return;
        }
        info.addResultColumn(
                name,
                switch (type) {
                    case BOOLEAN -> DuckDBColumnType.BOOLEAN;
                    case SMALLINT -> DuckDBColumnType.SMALLINT;
                    case INTEGER -> DuckDBColumnType.INTEGER;
                    case BIGINT -> DuckDBColumnType.BIGINT;
                    case REAL -> DuckDBColumnType.FLOAT;
                    case DOUBLE -> DuckDBColumnType.DOUBLE;
                    case DATE -> DuckDBColumnType.DATE;
                    case TIMESTAMP -> DuckDBColumnType.TIMESTAMP;
                    case TIMESTAMPTZ -> DuckDBColumnType.TIMESTAMP_WITH_TIME_ZONE;
                    case NUMERIC,
                            CHAR,
                            VARCHAR,
                            TEXT,
                            BYTEA,
                            TIME,
                            TIMETZ,
                            INTERVAL,
                            UUID,
                            JSON,
                            ARRAY,
                            UNKNOWN ->
                            DuckDBColumnType.VARCHAR;
                });
    }

    DataType type() {
        return type;
    }

    /** Whether values reach DuckDB as text. */
    boolean text() {
        return switch (type) {
            case CHAR, VARCHAR, TEXT, JSON, UNKNOWN, BYTEA, TIME, TIMETZ, UUID, INTERVAL, ARRAY ->
                    true;
            case BOOLEAN,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    DATE,
                    TIMESTAMP,
                    TIMESTAMPTZ,
                    NUMERIC ->
                    false;
        };
    }

    /** Whether stored text reaches DuckDB as it is. */
    boolean utf8() {
        return switch (type) {
            case CHAR, VARCHAR, TEXT, JSON, UNKNOWN -> true;
            case BYTEA,
                    TIME,
                    TIMETZ,
                    UUID,
                    INTERVAL,
                    ARRAY,
                    BOOLEAN,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    DATE,
                    TIMESTAMP,
                    TIMESTAMPTZ,
                    NUMERIC ->
                    false;
        };
    }

    /** Of a type that is passed on as text. */
    String text(Object value) {
        return switch (type) {
            case BYTEA -> HexFormat.of().formatHex((byte[]) value);
            case INTERVAL -> interval((TimeInterval) value);
            case ARRAY -> JSON.toJson(elements((List<?>) value));
            case CHAR,
                    VARCHAR,
                    TEXT,
                    JSON,
                    UNKNOWN,
                    TIME,
                    TIMETZ,
                    UUID,
                    BOOLEAN,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    DATE,
                    TIMESTAMP,
                    TIMESTAMPTZ,
                    NUMERIC ->
                    value.toString();
        };
    }

    /** Of a type that is not passed on as text. */
    void set(DuckDBWritableVector vector, int row, Object value) throws SQLException {
        switch (type) {
            case BOOLEAN -> vector.setBoolean(row, (Boolean) value);
            case SMALLINT -> vector.setShort(row, ((Number) value).shortValue());
            case INTEGER -> vector.setInt(row, ((Number) value).intValue());
            case BIGINT -> vector.setLong(row, ((Number) value).longValue());
            case REAL -> vector.setFloat(row, ((Number) value).floatValue());
            case DOUBLE -> vector.setDouble(row, ((Number) value).doubleValue());
            case DATE -> vector.setDate(row, (LocalDate) value);
            case TIMESTAMP -> vector.setTimestamp(row, (LocalDateTime) value);
            case TIMESTAMPTZ -> vector.setOffsetDateTime(row, (OffsetDateTime) value);
            case NUMERIC -> vector.setBigDecimal(row, exact((BigDecimal) value));
            case CHAR, VARCHAR, TEXT, JSON, UNKNOWN, BYTEA, TIME, TIMETZ, UUID, INTERVAL, ARRAY ->
                    throw new IllegalArgumentException(type + " is passed on as text");
        }
    }

    private BigDecimal exact(BigDecimal value) throws SQLException {
        BigDecimal exact;
        try {
            exact =
                    value.scale() == scale
                            ? value
                            : value.setScale(scale, RoundingMode.UNNECESSARY);
        } catch (ArithmeticException inexact) {
            throw unfit(inexact);
        }
        if (exact.precision() > precision) {
            throw unfit(null);
        }
        return exact;
    }

    private SQLException unfit(@Nullable Throwable cause) {
        return new SQLException(
                "Not implemented Error: the analytics engine stores this numeric column as "
                        + sql
                        + ", and a value has more digits; declare its precision and scale",
                cause);
    }

    private static String interval(TimeInterval span) {
        return span.months()
                + " months "
                + span.days()
                + " days "
                + span.micros()
                + " microseconds";
    }

    /** As DuckDB reads it from text: each byte in hexadecimal. */
    private static String blob(byte[] bytes) {
        HexFormat hex = HexFormat.of().withPrefix("\\x").withUpperCase();
        return hex.formatHex(bytes);
    }

    private static List<@Nullable Object> elements(List<?> list) {
        List<@Nullable Object> elements = new ArrayList<>(list.size());
        for (Object element : list) {
            elements.add(
                    switch (element) {
                        case null -> null;
                        case Number number -> number;
                        case Boolean truth -> truth;
                        case List<?> inner -> elements(inner);
                        case byte[] bytes -> blob(bytes);
                        case OffsetDateTime time ->
                                DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time);
                        default -> element.toString();
                    });
        }
        return elements;
    }
}
