package petrichor.cli.sql;

import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The narrowest type that all values of a column have. Numbers with leading zeros are texts, as in
 * postal codes.
 */
enum InferredType {
    /** No value yet. */
    NONE("text"),
    BOOLEAN("boolean"),
    BIGINT("bigint"),
    DOUBLE("double precision"),
    DATE("date"),
    TIMESTAMPTZ("timestamp with time zone"),
    JSONB("jsonb"),
    TEXT("text");

    private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9]\\d{0,17})");
    private static final Pattern DECIMAL =
            Pattern.compile("-?(0|[1-9]\\d*)?(\\.\\d+)?([eE][-+]?\\d+)?");
    private static final Pattern DAY = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");
    private static final Pattern TIME =
            Pattern.compile(
                    "\\d{4}-\\d{2}-\\d{2}[T"
                            + " ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[-+]\\d{2}(:?\\d{2})?)");

    private final String sql;

    InferredType(String sql) {
        this.sql = sql;
    }

    /** As in a definition of a table. */
    String sql() {
        return sql;
    }

    /** The type of this column's values and this one. */
    InferredType with(@Nullable String value) {
        if (value == null) {
            return this;
        }
        InferredType other = of(value);
        if (this == NONE || this == other) {
            return other;
        }
        boolean numbers =
                (this == BIGINT || this == DOUBLE) && (other == BIGINT || other == DOUBLE);
        return numbers ? DOUBLE : TEXT;
    }

    private static InferredType of(String value) {
        if (WHOLE.matcher(value).matches()) {
            return BIGINT;
        }
        if (!value.isEmpty()
                && value.chars().anyMatch(Character::isDigit)
                && DECIMAL.matcher(value).matches()) {
            return DOUBLE;
        }
        if (DAY.matcher(value).matches()) {
            return isDay(value) ? DATE : TEXT;
        }
        if (TIME.matcher(value).matches()) {
            return isDay(value.substring(0, 10)) ? TIMESTAMPTZ : TEXT;
        }
        if (value.startsWith("{") || value.startsWith("[")) {
            return isJson(value) ? JSONB : TEXT;
        }
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true", "false" -> BOOLEAN;
            default -> TEXT;
        };
    }

    private static boolean isDay(String text) {
        try {
            return LocalDate.parse(text).getYear() > 0;
        } catch (DateTimeException none) {
            return false;
        }
    }

    private static boolean isJson(String text) {
        try {
            return JsonParser.parseString(text).isJsonObject()
                    || JsonParser.parseString(text).isJsonArray();
        } catch (JsonSyntaxException none) {
            return false;
        }
    }
}
