package petrichor.movement.duckdb;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;
import petrichor.tables.TimeInterval;

/** Values of tables as texts from which DuckDB makes the values of columns. Stateless. */
final class TableCells {
    private static final int DECIMAL_DIGITS_MAX = 38;

    private TableCells() {}

    static String type(ColumnType type) {
        return switch (type.type()) {
            case BOOLEAN,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    DATE,
                    TIME,
                    TIMESTAMP,
                    INTERVAL,
                    UUID,
                    JSON ->
                    type.type().name();
            case TIMESTAMPTZ -> CopyTable.TIMESTAMPTZ;
            case TIMETZ -> "TIME WITH TIME ZONE";
            case BYTEA -> EntityCells.BLOB;
            case ARRAY -> EntityCells.JSON;
            case CHAR, VARCHAR, TEXT, UNKNOWN -> EntityCells.VARCHAR;
            // DuckDB has no number without a limit that is exact.
            case NUMERIC ->
                    type.length() > 0 && type.length() <= DECIMAL_DIGITS_MAX
                            ? "DECIMAL(" + type.length() + "," + type.scale() + ")"
                            : EntityCells.VARCHAR;
        };
    }

    static @Nullable String text(@Nullable Object value) {
        return switch (value) {
            case null -> null;
            case byte[] bytes -> HexFormat.of().formatHex(bytes);
            case TimeInterval span ->
                    span.months()
                            + " months "
                            + span.days()
                            + " days "
                            + span.micros()
                            + " microseconds";
            case LocalDate date -> CopyTimes.text(date);
            case LocalTime time -> CopyTimes.text(time);
            case OffsetTime time -> CopyTimes.text(time);
            case LocalDateTime time -> CopyTimes.text(time);
            case OffsetDateTime time -> CopyTimes.text(time);
            case List<?> list -> json(list).toString();
            default -> value.toString();
        };
    }

    private static JsonElement json(@Nullable Object value) {
        return switch (value) {
            case null -> JsonNull.INSTANCE;
            case List<?> list -> {
                JsonArray array = new JsonArray();
                list.forEach(one -> array.add(json(one)));
                yield array;
            }
            case Float real when !Float.isFinite(real) -> new JsonPrimitive(real.toString());
            case Double real when !Double.isFinite(real) -> new JsonPrimitive(real.toString());
            case Number number -> new JsonPrimitive(number);
            case Boolean truth -> new JsonPrimitive(truth);
            default -> new JsonPrimitive(String.valueOf(text(value)));
        };
    }
}
