package petrichor.sql.h2;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigInteger;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.h2.api.IntervalQualifier;
import org.h2.util.IntervalUtils;
import org.h2.util.JSR310Utils;
import org.h2.value.TypeInfo;
import org.h2.value.Value;
import org.h2.value.ValueBigint;
import org.h2.value.ValueInterval;
import org.h2.value.ValueJson;
import org.h2.value.ValueNull;
import org.h2.value.ValueVarchar;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;

/**
 * Functions of PostgreSQL that return rows, which may refer to tables before them in FROM.
 *
 * @see RowFunctionTable
 */
enum RowFunction {
    SERIES(
            List.of(TypeInfo.TYPE_BIGINT),
            List.of(TypeInfo.TYPE_BIGINT, TypeInfo.TYPE_BIGINT, TypeInfo.TYPE_BIGINT)) {
        @Override
        Iterator<Value[]> rows(Value[] arguments, ZoneId zone) {
            long first = arguments[0].getLong();
            long last = arguments[1].getLong();
            long step = arguments[2].getLong();
            requireStep(step != 0);
            BigInteger steps =
                    BigInteger.valueOf(last)
                            .subtract(BigInteger.valueOf(first))
                            .divide(BigInteger.valueOf(step))
                            .min(BigInteger.valueOf(Long.MAX_VALUE));
            boolean none = step > 0 ? first > last : first < last;
            return LongStream.rangeClosed(0, none ? -1 : steps.longValueExact())
                    .mapToObj(i -> new Value[] {ValueBigint.get(first + i * step)})
                    .iterator();
        }
    },
    TIMESTAMP_SERIES(
            List.of(TypeInfo.TYPE_TIMESTAMP),
            List.of(TypeInfo.TYPE_TIMESTAMP, TypeInfo.TYPE_TIMESTAMP, TypeInfo.TYPE_VARCHAR)) {
        @Override
        Iterator<Value[]> rows(Value[] arguments, ZoneId zone) {
            return times(arguments, ZoneOffset.UTC, false);
        }
    },
    TIMESTAMPTZ_SERIES(
            List.of(TypeInfo.TYPE_TIMESTAMP_TZ),
            List.of(
                    TypeInfo.TYPE_TIMESTAMP_TZ,
                    TypeInfo.TYPE_TIMESTAMP_TZ,
                    TypeInfo.TYPE_VARCHAR)) {
        @Override
        Iterator<Value[]> rows(Value[] arguments, ZoneId zone) {
            return times(arguments, zone, true);
        }
    },
    JSON_ELEMENTS(List.of(TypeInfo.TYPE_JSON), List.of(TypeInfo.TYPE_JSON)) {
        @Override
        Iterator<Value[]> rows(Value[] arguments, ZoneId zone) {
            return elements(arguments[0]).map(e -> new Value[] {json(e)}).iterator();
        }
    },
    JSON_ELEMENTS_TEXT(List.of(TypeInfo.TYPE_VARCHAR), List.of(TypeInfo.TYPE_JSON)) {
        @Override
        Iterator<Value[]> rows(Value[] arguments, ZoneId zone) {
            return elements(arguments[0]).map(e -> new Value[] {text(e)}).iterator();
        }
    },
    JSON_EACH(List.of(TypeInfo.TYPE_VARCHAR, TypeInfo.TYPE_JSON), List.of(TypeInfo.TYPE_JSON)) {
        @Override
        Iterator<Value[]> rows(Value[] arguments, ZoneId zone) {
            return object(arguments[0]).entrySet().stream()
                    .map(m -> new Value[] {ValueVarchar.get(m.getKey()), json(m.getValue())})
                    .iterator();
        }
    },
    JSON_EACH_TEXT(
            List.of(TypeInfo.TYPE_VARCHAR, TypeInfo.TYPE_VARCHAR), List.of(TypeInfo.TYPE_JSON)) {
        @Override
        Iterator<Value[]> rows(Value[] arguments, ZoneId zone) {
            return object(arguments[0]).entrySet().stream()
                    .map(m -> new Value[] {ValueVarchar.get(m.getKey()), text(m.getValue())})
                    .iterator();
        }
    },
    JSON_KEYS(List.of(TypeInfo.TYPE_VARCHAR), List.of(TypeInfo.TYPE_JSON)) {
        @Override
        Iterator<Value[]> rows(Value[] arguments, ZoneId zone) {
            return object(arguments[0]).keySet().stream()
                    .map(key -> new Value[] {ValueVarchar.get(key)})
                    .iterator();
        }
    },
    /** The elements of a text between matches of a regular expression. */
    SPLIT(List.of(TypeInfo.TYPE_VARCHAR), List.of(TypeInfo.TYPE_VARCHAR, TypeInfo.TYPE_VARCHAR)) {
        @Override
        Iterator<Value[]> rows(Value[] arguments, ZoneId zone) {
            String text = String.valueOf(arguments[0].getString());
            String[] parts = TextFunctions.regexpSplit(text, arguments[1].getString());
            return texts(parts == null ? new String[0] : parts);
        }
    },
    /** The elements of a text between separators. */
    FIELDS(List.of(TypeInfo.TYPE_VARCHAR), List.of(TypeInfo.TYPE_VARCHAR, TypeInfo.TYPE_VARCHAR)) {
        @Override
        Iterator<Value[]> rows(Value[] arguments, ZoneId zone) {
            String text = String.valueOf(arguments[0].getString());
            String separator = String.valueOf(arguments[1].getString());
            if (text.isEmpty()) {
                return texts(new String[0]);
            }
            return texts(
                    separator.isEmpty()
                            ? new String[] {text}
                            : text.split(Pattern.quote(separator), -1));
        }
    };

    @SuppressWarnings("ImmutableEnumChecker") // a list of List.of
    private final List<TypeInfo> columns;

    @SuppressWarnings("ImmutableEnumChecker") // a list of List.of
    private final List<TypeInfo> arguments;

    RowFunction(List<TypeInfo> columns, List<TypeInfo> arguments) {
        this.columns = columns;
        this.arguments = arguments;
    }

    /** The table's name in {@code pg_catalog}. */
    String table() {
        return "operator_rows_" + name().toLowerCase(Locale.ROOT);
    }

    List<TypeInfo> columns() {
        return columns;
    }

    List<TypeInfo> arguments() {
        return arguments;
    }

    /** The rows for arguments that are not null. */
    abstract Iterator<Value[]> rows(Value[] arguments, ZoneId zone);

    private static void requireStep(boolean known) {
        if (!known) {
            throw new SqlException(SqlState.INVALID_PARAMETER, "step size cannot equal zero");
        }
    }

    private static Iterator<Value[]> times(Value[] arguments, ZoneId zone, boolean zoned) {
        ZonedDateTime first = time(arguments[0]).atZoneSameInstant(zone);
        ZonedDateTime last = time(arguments[1]).atZoneSameInstant(zone);
        ValueInterval step = interval(String.valueOf(arguments[2].getString()));
        BigInteger size = IntervalUtils.intervalToAbsolute(step);
        requireStep(size.signum() != 0);
        boolean months = step.getQualifier().isYearMonth();
        boolean days = step.getQualifier().hasDays();
        long amount = size.longValueExact();
        long day = Duration.ofDays(1).toNanos();
        UnaryOperator<ZonedDateTime> next =
                at ->
                        months
                                ? at.plusMonths(amount)
                                : days
                                        ? at.plusDays(amount / day).plusNanos(amount % day)
                                        : at.plusNanos(amount);
        return Stream.iterate(
                        first, at -> amount > 0 ? !at.isAfter(last) : !at.isBefore(last), next)
                .map(
                        at ->
                                new Value[] {
                                    zoned
                                            ? JSR310Utils.offsetDateTimeToValue(
                                                    at.toOffsetDateTime())
                                            : JSR310Utils.localDateTimeToValue(at.toLocalDateTime())
                                })
                .iterator();
    }

    private static OffsetDateTime time(Value value) {
        return value.getValueType() == Value.TIMESTAMP_TZ
                ? JSR310Utils.valueToOffsetDateTime(value, null)
                : JSR310Utils.valueToLocalDateTime(value, null).atOffset(ZoneOffset.UTC);
    }

    /** Of the text that H2 makes of an interval. */
    private static ValueInterval interval(String text) {
        boolean months =
                text.endsWith("MONTH") || text.endsWith("YEAR") || text.contains("YEAR TO");
        return IntervalUtils.parseFormattedInterval(
                months ? IntervalQualifier.YEAR_TO_MONTH : IntervalQualifier.DAY_TO_SECOND, text);
    }

    private static Iterator<Value[]> texts(String[] parts) {
        return Arrays.stream(parts).map(part -> new Value[] {ValueVarchar.get(part)}).iterator();
    }

    private static Value json(JsonElement element) {
        return ValueJson.fromJson(element.toString());
    }

    private static Value text(JsonElement element) {
        if (element.isJsonNull()) {
            return ValueNull.INSTANCE;
        }
        return ValueVarchar.get(
                element.isJsonPrimitive() ? element.getAsString() : element.toString());
    }

    private static Stream<JsonElement> elements(Value document) {
        if (JsonFunctions.parsed(document) instanceof JsonArray array) {
            return array.asList().stream();
        }
        throw new SqlException(
                SqlState.INVALID_PARAMETER, "cannot extract elements from a scalar or an object");
    }

    private static JsonObject object(Value document) {
        if (JsonFunctions.parsed(document) instanceof JsonObject object) {
            return object;
        }
        throw new SqlException(
                SqlState.INVALID_PARAMETER, "cannot read members of an array or a scalar");
    }
}
