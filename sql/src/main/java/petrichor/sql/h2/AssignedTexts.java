package petrichor.sql.h2;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.h2.engine.SessionLocal;
import org.h2.result.Row;
import org.h2.table.Column;
import org.h2.util.JSR310Utils;
import org.h2.value.Value;
import org.h2.value.ValueArray;
import org.h2.value.ValueJson;
import org.h2.value.ValueNull;
import org.h2.value.ValueTimestampTimeZone;
import org.h2.value.ValueVarbinary;
import org.h2.value.ValueVarchar;
import org.jspecify.annotations.Nullable;
import petrichor.sql.ArrayLiteral;
import petrichor.sql.ByteText;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.sql.TimeLiteral;

/** Texts that are assigned to columns of other types, as PostgreSQL reads them. */
final class AssignedTexts {
    private AssignedTexts() {}

    /**
     * H2 would make an array of one element of a text, bytes of its characters, and a JSON text.
     */
    static void read(SessionLocal session, Column[] columns, Row row) {
        for (Column column : columns) {
            int index = column.getColumnId();
            Value value = row.getValue(index);
            if (value == null || value.getValueType() != Value.VARCHAR) {
                continue;
            }
            String text = value.getString();
            Value read =
                    switch (column.getType().getValueType()) {
                        case Value.ARRAY -> array(text);
                        case Value.VARBINARY, Value.BINARY ->
                                ValueVarbinary.get(ByteText.parse(text));
                        case Value.JSON -> ValueJson.fromJson(text);
                        case Value.DATE -> time(session, TimeLiteral.Kind.DATE, text);
                        case Value.TIME -> time(session, TimeLiteral.Kind.TIME, text);
                        case Value.TIMESTAMP -> time(session, TimeLiteral.Kind.TIMESTAMP, text);
                        case Value.TIMESTAMP_TZ ->
                                time(session, TimeLiteral.Kind.TIMESTAMPTZ, text);
                        default -> null;
                    };
            if (read != null) {
                row.setValue(index, read);
            }
        }
    }

    /** Null if the text is left to H2. */
    private static @Nullable Value time(SessionLocal session, TimeLiteral.Kind kind, String text) {
        String normalized = normalized(kind, text);
        if (normalized != null) {
            return ValueVarchar.get(normalized);
        }
        ValueTimestampTimeZone now = session.currentTimestamp();
        LocalDate today = JSR310Utils.valueToOffsetDateTime(now, session).toLocalDate();
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "now" -> now;
            case "today" -> JSR310Utils.localDateToValue(today);
            case "tomorrow" -> JSR310Utils.localDateToValue(today.plusDays(1));
            case "yesterday" -> JSR310Utils.localDateToValue(today.minusDays(1));
            case "epoch" ->
                    ValueVarchar.get(
                            kind == TimeLiteral.Kind.TIMESTAMPTZ
                                    ? "1970-01-01 00:00:00+00"
                                    : "1970-01-01");
            default -> null;
        };
    }

    private static @Nullable String normalized(TimeLiteral.Kind kind, String text) {
        try {
            return TimeLiteral.normalized(kind, text);
        } catch (NumberFormatException | DateTimeException | ArithmeticException malformed) {
            throw new SqlException(
                    SqlState.INVALID_DATETIME,
                    "invalid input syntax for type "
                            + kind.name().toLowerCase(Locale.ROOT)
                            + ": \""
                            + text
                            + "\"",
                    malformed);
        }
    }

    private static Value array(String text) {
        List<@Nullable String> elements = ArrayLiteral.elementsOf(text);
        Value[] values = new Value[elements.size()];
        for (int i = 0; i < values.length; i++) {
            String element = elements.get(i);
            values[i] = element == null ? ValueNull.INSTANCE : ValueVarchar.get(element);
        }
        return ValueArray.get(values, null);
    }
}
