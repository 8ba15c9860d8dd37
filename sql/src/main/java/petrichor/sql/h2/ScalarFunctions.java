package petrichor.sql.h2;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import org.h2.value.DataType;
import org.h2.value.TypeInfo;
import org.h2.value.Value;
import org.h2.value.ValueArray;
import org.jspecify.annotations.Nullable;
import petrichor.sql.ArrayLiteral;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;

/** PostgreSQL's functions of texts, numbers and arrays that H2 does not have; called by H2. */
public final class ScalarFunctions {
    /** The largest number of which {@code factorial} is computed. */
    private static final int FACTORIAL_MAX = 1_000;

    /** Of {@code round}, before and after the point. */
    private static final int DIGITS_MAX = 16_383;

    /** Characters of a text that is filled. */
    private static final int LENGTH_MAX = 1_000_000;

    private ScalarFunctions() {}

    // ── texts ──────────────────────────────────────────────────────────────

    /** The field at a position from 1, or from the end if it is negative. */
    public static @Nullable String splitPart(
            @Nullable String text, @Nullable String separator, @Nullable Integer position) {
        if (text == null || separator == null || position == null) {
            return null;
        }
        if (position == 0) {
            throw new SqlException(SqlState.INVALID_PARAMETER, "field position must not be zero");
        }
        String[] parts =
                separator.isEmpty()
                        ? new String[] {text}
                        : text.split(Pattern.quote(separator), -1);
        int index = position > 0 ? position - 1 : (parts.length + position);
        return index >= 0 && index < parts.length ? parts[index] : "";
    }

    public static @Nullable String initcap(@Nullable String text) {
        if (text == null) {
            return null;
        }
        StringBuilder shown = new StringBuilder();
        boolean inside = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            shown.append(inside ? Character.toLowerCase(c) : Character.toUpperCase(c));
            inside = Character.isLetterOrDigit(c);
        }
        return shown.toString();
    }

    public static @Nullable String md5(Value value) throws NoSuchAlgorithmException {
        if (value.getValueType() == Value.NULL) {
            return null;
        }
        boolean binary =
                value.getValueType() == Value.VARBINARY || value.getValueType() == Value.BINARY;
        byte[] bytes =
                binary
                        ? value.getBytes()
                        : String.valueOf(value.getString()).getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
    }

    public static @Nullable Integer strpos(@Nullable String text, @Nullable String part) {
        return text == null || part == null ? null : (Integer) (text.indexOf(part) + 1);
    }

    public static @Nullable Boolean startsWith(@Nullable String text, @Nullable String start) {
        if (text == null || start == null) {
            return null;
        }
        return text.startsWith(start);
    }

    public static @Nullable String reverse(@Nullable String text) {
        return text == null ? null : new StringBuilder(text).reverse().toString();
    }

    public static @Nullable String quoteLiteral(Value value) {
        if (value.getValueType() == Value.NULL) {
            return null;
        }
        String text = String.valueOf(value.getString());
        boolean escapes = text.indexOf('\\') >= 0;
        String quoted = "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
        return escapes ? "E" + quoted : quoted;
    }

    public static String quoteNullable(Value value) {
        String quoted = quoteLiteral(value);
        return quoted == null ? "NULL" : quoted;
    }

    public static @Nullable String quoteIdent(@Nullable String name) {
        if (name == null) {
            return null;
        }
        return name.matches("[a-z_][a-z0-9_]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    public static @Nullable String lpad(@Nullable String text, @Nullable Integer length) {
        return lpad(text, length, " ");
    }

    public static @Nullable String lpad(
            @Nullable String text, @Nullable Integer length, @Nullable String fill) {
        String padding = padding(text, length, fill);
        return padding == null || text == null || length == null
                ? null
                : padding + text.substring(0, Math.min(text.length(), Math.max(0, length)));
    }

    public static @Nullable String rpad(@Nullable String text, @Nullable Integer length) {
        return rpad(text, length, " ");
    }

    public static @Nullable String rpad(
            @Nullable String text, @Nullable Integer length, @Nullable String fill) {
        String padding = padding(text, length, fill);
        return padding == null || text == null || length == null
                ? null
                : text.substring(0, Math.min(text.length(), Math.max(0, length))) + padding;
    }

    private static @Nullable String padding(
            @Nullable String text, @Nullable Integer length, @Nullable String fill) {
        if (text == null || length == null || fill == null) {
            return null;
        }
        if (length > LENGTH_MAX) {
            throw new SqlException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "requested length too large: at most " + LENGTH_MAX + " characters");
        }
        int missing = length - text.length();
        return missing <= 0 || fill.isEmpty()
                ? ""
                : fill.repeat(missing / fill.length() + 1).substring(0, missing);
    }

    public static @Nullable String text(Value value) {
        return value.getString();
    }

    // ── numbers ────────────────────────────────────────────────────────────

    public static @Nullable Double cbrt(@Nullable Double number) {
        return number == null ? null : (Double) Math.cbrt(number);
    }

    public static @Nullable BigDecimal factorial(@Nullable Long number) {
        if (number == null) {
            return null;
        }
        if (number < 0 || number > FACTORIAL_MAX) {
            throw new SqlException(
                    SqlState.OUT_OF_RANGE,
                    "factorial of " + number + ": use a number from 0 to " + FACTORIAL_MAX);
        }
        BigInteger product = BigInteger.ONE;
        for (long i = 2; i <= number; i++) {
            product = product.multiply(BigInteger.valueOf(i));
        }
        return new BigDecimal(product);
    }

    /** With so many digits after the point, also zeros. */
    public static @Nullable BigDecimal round(
            @Nullable BigDecimal number, @Nullable Integer digits) {
        if (number == null || digits == null) {
            return null;
        }
        BigDecimal rounded =
                number.setScale(Math.clamp(digits, -DIGITS_MAX, DIGITS_MAX), RoundingMode.HALF_UP);
        return digits < 0 ? rounded.setScale(0, RoundingMode.UNNECESSARY) : rounded;
    }

    /** The quotient, rounded towards zero. */
    public static @Nullable BigDecimal div(@Nullable BigDecimal left, @Nullable BigDecimal right) {
        if (left == null || right == null) {
            return null;
        }
        if (right.signum() == 0) {
            throw new SqlException(SqlState.DIVISION_BY_ZERO, "division by zero");
        }
        return left.divide(right, 0, RoundingMode.DOWN);
    }

    public static @Nullable Integer int4(@Nullable BigDecimal number) {
        return number == null
                ? null
                : (Integer)
                        exact(number, "integer", Integer.MIN_VALUE, Integer.MAX_VALUE).intValue();
    }

    public static @Nullable Long int8(@Nullable BigDecimal number) {
        return number == null
                ? null
                : (Long) exact(number, "bigint", Long.MIN_VALUE, Long.MAX_VALUE).longValue();
    }

    private static BigDecimal exact(BigDecimal number, String type, long least, long most) {
        BigDecimal rounded = number.setScale(0, RoundingMode.HALF_UP);
        boolean fits =
                rounded.compareTo(BigDecimal.valueOf(least)) >= 0
                        && rounded.compareTo(BigDecimal.valueOf(most)) <= 0;
        if (!fits) {
            throw new SqlException(SqlState.OUT_OF_RANGE, type + " out of range");
        }
        return rounded;
    }

    public static @Nullable Double float8(@Nullable Double number) {
        return number;
    }

    // ── arrays and nulls ───────────────────────────────────────────────────

    public static @Nullable String arrayToString(Value array, @Nullable String separator) {
        return arrayToString(array, separator, null);
    }

    /**
     * @param missing the value for a null; without one, nulls are left out
     */
    public static @Nullable String arrayToString(
            Value array, @Nullable String separator, @Nullable String missing) {
        if (!(array instanceof ValueArray known) || separator == null) {
            return null;
        }
        List<String> parts = new ArrayList<>();
        for (Value element : known.getList()) {
            String text = element.getValueType() == Value.NULL ? missing : element.getString();
            if (text != null) {
                parts.add(text);
            }
        }
        return String.join(separator, parts);
    }

    public static String @Nullable [] stringToArray(
            @Nullable String text, @Nullable String separator) {
        if (text == null) {
            return null;
        }
        if (text.isEmpty()) {
            return new String[0];
        }
        if (separator == null) {
            return text.split("");
        }
        return separator.isEmpty() ? new String[] {text} : text.split(Pattern.quote(separator), -1);
    }

    /** The elements of an array, or of PostgreSQL's text of one. */
    public static @Nullable String @Nullable [] arrayInput(Value value) {
        if (value.getValueType() == Value.NULL) {
            return null;
        }
        if (value instanceof ValueArray known) {
            return Arrays.stream(known.getList()).map(Value::getString).toArray(String[]::new);
        }
        return ArrayLiteral.elementsOf(String.valueOf(value.getString())).toArray(String[]::new);
    }

    /** Null for an empty array, and for other dimensions than the first. */
    public static @Nullable Integer arrayLength(Value array, @Nullable Integer dimension) {
        if (!(array instanceof ValueArray known) || dimension == null || dimension != 1) {
            return null;
        }
        int length = known.getList().length;
        return length == 0 ? null : (Integer) length;
    }

    /** Position of the first element that is the same, from 1. */
    public static @Nullable Integer arrayPosition(Value array, Value element) {
        if (array instanceof ValueArray known) {
            Value[] elements = known.getList();
            for (int i = 0; i < elements.length; i++) {
                String text = elements[i].getString();
                String wanted = element.getString();
                if (text == null ? wanted == null : text.equals(wanted)) {
                    return i + 1;
                }
            }
        }
        return null;
    }

    public static int nulls(Value... values) {
        return (int) Arrays.stream(values).filter(v -> v.getValueType() == Value.NULL).count();
    }

    public static int nonNulls(Value... values) {
        return values.length - nulls(values);
    }

    public static UUID uuid() {
        return UUID.randomUUID();
    }

    /** Without the elements that are the same; null if there is no array. */
    public static @Nullable Value arrayRemove(Value array, Value element) {
        if (!(array instanceof ValueArray known)) {
            return array;
        }
        String removed = element.getString();
        Value[] rest =
                Arrays.stream(known.getList())
                        .filter(one -> !Objects.equals(one.getString(), removed))
                        .toArray(Value[]::new);
        return ValueArray.get(known.getComponentType(), rest, null);
    }

    /** The name of the type of a value, as PostgreSQL shows it. */
    public static String typeName(Value value) {
        if (value instanceof ValueArray array) {
            return typeName(array.getComponentType()) + "[]";
        }
        return value.getValueType() == Value.NULL ? "unknown" : typeName(value.getType());
    }

    private static String typeName(TypeInfo type) {
        return switch (type.getValueType()) {
            case Value.NULL, Value.VARCHAR, Value.UNKNOWN -> "text";
            case Value.TINYINT, Value.SMALLINT -> "smallint";
            case Value.NUMERIC, Value.DECFLOAT -> "numeric";
            case Value.DOUBLE -> "double precision";
            case Value.CHAR -> "character";
            case Value.VARBINARY, Value.BINARY -> "bytea";
            case Value.TIMESTAMP -> "timestamp without time zone";
            case Value.TIMESTAMP_TZ -> "timestamp with time zone";
            case Value.TIME -> "time without time zone";
            case Value.TIME_TZ -> "time with time zone";
            case Value.JSON -> "jsonb";
            case Value.INTERVAL_DAY -> "integer";
            default ->
                    DataType.isIntervalType(type.getValueType())
                            ? "interval"
                            : type.getDeclaredTypeName().toLowerCase(Locale.ROOT);
        };
    }
}
