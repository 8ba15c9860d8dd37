package petrichor.frontends.postgres;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import petrichor.sql.JsonForm;
import petrichor.sql.SqlException;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.tables.TimeInterval;

/** Values as PostgreSQL writes and reads them as text. */
final class TextFormat {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int SECONDS_PER_HOUR = 3_600;
    private static final int MONTHS_PER_YEAR = 12;

    private static final DateTimeFormatter DATE =
            new DateTimeFormatterBuilder().appendPattern("uuuu-MM-dd").toFormatter(Locale.ROOT);
    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder()
                    .appendPattern("HH:mm[:ss")
                    .appendFraction(ChronoField.MICRO_OF_SECOND, 0, 6, true)
                    .appendPattern("]")
                    .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter ZONE =
            new DateTimeFormatterBuilder()
                    .appendOffset("+HH:mm:ss", "+00")
                    .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter READ_ZONE =
            new DateTimeFormatterBuilder()
                    .parseCaseInsensitive()
                    .optionalStart()
                    .appendLiteral(' ')
                    .optionalEnd()
                    .appendPattern("[XXXXX][XXX][XX][X]")
                    .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter TIMESTAMP =
            new DateTimeFormatterBuilder()
                    .append(DATE)
                    .appendPattern("['T'][' ']")
                    .append(TIME)
                    .toFormatter(Locale.ROOT);

    /** The zone is ignored, as in PostgreSQL; its JDBC driver writes one. */
    private static final DateTimeFormatter TIMESTAMP_READ =
            new DateTimeFormatterBuilder()
                    .append(TIMESTAMP)
                    .appendOptional(READ_ZONE)
                    .toFormatter(Locale.ROOT);

    private TextFormat() {}

    /**
     * @param zone of the session, in which times with a zone are shown
     */
    static byte[] encode(ColumnType type, Object value, ZoneId zone) {
        return text(type, value, zone).getBytes(StandardCharsets.UTF_8);
    }

    static String text(ColumnType type, Object value, ZoneId zone) {
        return switch (value) {
            case Boolean truth -> truth ? "t" : "f";
            case BigDecimal number -> number.toPlainString();
            case Float number -> decimal(Float.toString(number), number);
            case Double number -> decimal(Double.toString(number), number);
            case byte[] bytes -> "\\x" + HexFormat.of().formatHex(bytes);
            case LocalDate date -> year(date.getYear(), DATE.format(positive(date)));
            case LocalTime time -> TIME.format(time);
            case OffsetTime time -> TIME.format(time) + offset(time.getOffset());
            case LocalDateTime time -> timestamp(time);
            case OffsetDateTime time -> {
                OffsetDateTime shown = time.atZoneSameInstant(zone).toOffsetDateTime();
                String text = DATE.format(positive(shown.toLocalDate()));
                yield year(
                        shown.getYear(),
                        text + " " + TIME.format(shown.toLocalTime()) + offset(shown.getOffset()));
            }
            case TimeInterval interval -> interval(interval);
            case List<?> elements -> array(type, elements, zone);
            default ->
                    type.type() == DataType.JSON
                            ? JsonForm.shown(value.toString())
                            : value.toString();
        };
    }

    private static String timestamp(LocalDateTime time) {
        return year(
                time.getYear(),
                DATE.format(positive(time.toLocalDate())) + " " + TIME.format(time.toLocalTime()));
    }

    private static LocalDate positive(LocalDate date) {
        return date.getYear() > 0 ? date : date.withYear(1 - date.getYear());
    }

    private static String year(int year, String text) {
        return year > 0 ? text : text + " BC";
    }

    private static String offset(ZoneOffset offset) {
        String text = ZONE.format(offset);
        while (text.length() > 3 && text.endsWith(":00")) {
            text = text.substring(0, text.length() - 3);
        }
        return text;
    }

    /** Java's shortest text that is read as the same number, without the fraction ".0". */
    private static String decimal(String text, double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "Infinity" : "-Infinity";
        }
        int exponent = text.indexOf('E');
        if (exponent >= 0) {
            int power = Integer.parseInt(text.substring(exponent + 1));
            BigDecimal exact = new BigDecimal(text);
            if (power >= -4 && power < 15) {
                return strip(exact.toPlainString());
            }
            String sign = power < 0 ? "-" : "+";
            String digits = Math.abs(power) < 10 ? "0" + Math.abs(power) : "" + Math.abs(power);
            return strip(text.substring(0, exponent)) + "e" + sign + digits;
        }
        return strip(text);
    }

    private static String strip(String text) {
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    private static String interval(TimeInterval interval) {
        StringBuilder text = new StringBuilder();
        part(text, interval.months() / MONTHS_PER_YEAR, "year");
        part(text, interval.months() % MONTHS_PER_YEAR, "mon");
        part(text, interval.days(), "day");
        long micros = interval.micros();
        if (micros != 0 || text.isEmpty()) {
            long seconds = Math.abs(micros) / MICROS_PER_SECOND;
            long fraction = Math.abs(micros) % MICROS_PER_SECOND;
            text.append(text.isEmpty() ? "" : " ")
                    .append(micros < 0 ? "-" : "")
                    .append(
                            String.format(
                                    Locale.ROOT,
                                    "%02d:%02d:%02d",
                                    seconds / SECONDS_PER_HOUR,
                                    seconds / SECONDS_PER_MINUTE % SECONDS_PER_MINUTE,
                                    seconds % SECONDS_PER_MINUTE));
            if (fraction != 0) {
                text.append(String.format(Locale.ROOT, ".%06d", fraction).replaceAll("0+$", ""));
            }
        }
        return text.toString();
    }

    private static void part(StringBuilder text, int amount, String unit) {
        if (amount != 0) {
            text.append(text.isEmpty() ? "" : " ")
                    .append(amount)
                    .append(' ')
                    .append(unit)
                    .append(Math.abs(amount) == 1 && amount > 0 ? "" : "s");
        }
    }

    private static String array(ColumnType type, List<?> elements, ZoneId zone) {
        ColumnType element = type.element() == null ? ColumnType.UNKNOWN : type.element();
        StringBuilder text = new StringBuilder("{");
        for (Object value : elements) {
            if (text.length() > 1) {
                text.append(',');
            }
            if (value == null) {
                text.append("NULL");
            } else if (value instanceof List<?> inner) {
                text.append(array(type, inner, zone));
            } else {
                text.append(quoted(text(element, value, zone)));
            }
        }
        return text.append('}').toString();
    }

    private static String quoted(String text) {
        boolean plain = !text.isEmpty() && !text.equalsIgnoreCase("NULL");
        for (int i = 0; i < text.length() && plain; i++) {
            char c = text.charAt(i);
            plain = !(Character.isWhitespace(c) || "{},\"\\".indexOf(c) >= 0);
        }
        return plain ? text : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    // ---- reading

    /** 22P02 if the text is not a value of the type. */
    static Object decode(ColumnType type, byte[] bytes) {
        String text = ClientMessages.utf8(ByteBuffer.wrap(bytes));
        return parse(type, text);
    }

    static Object parse(ColumnType type, String text) {
        try {
            return switch (type.type()) {
                case BOOLEAN -> truth(text.strip());
                case SMALLINT -> (int) Short.parseShort(text.strip());
                case INTEGER -> Integer.parseInt(text.strip());
                case BIGINT -> Long.parseLong(text.strip());
                case NUMERIC -> new BigDecimal(text.strip());
                case REAL -> (float) number(text.strip());
                case DOUBLE -> number(text.strip());
                case CHAR, VARCHAR, TEXT, JSON, UNKNOWN -> text;
                case BYTEA -> bytea(text);
                case DATE -> LocalDate.parse(text.strip(), DATE);
                case TIME -> LocalTime.parse(text.strip(), TIME);
                case TIMETZ -> zoned(text.strip(), TIME, OffsetTime::from);
                case TIMESTAMP -> dateTime(text.strip());
                case TIMESTAMPTZ -> zoned(text.strip(), TIMESTAMP, OffsetDateTime::from);
                case INTERVAL -> IntervalText.parse(text);
                case UUID -> UUID.fromString(text.strip());
                case ARRAY -> array(type, text);
            };
        } catch (DateTimeException invalid) {
            throw invalid(type, text, invalid);
        } catch (IllegalArgumentException invalid) {
            throw invalid(type, text, invalid);
        }
    }

    private static SqlException invalid(ColumnType type, String text, RuntimeException cause) {
        boolean time =
                switch (type.type()) {
                    case DATE, TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ -> true;
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
                            INTERVAL,
                            UUID,
                            JSON,
                            ARRAY,
                            UNKNOWN ->
                            false;
                };
        return new SqlException(
                time ? "22007" : "22P02",
                "invalid input syntax for type "
                        + type.type().name().toLowerCase(Locale.ROOT)
                        + ": \""
                        + text
                        + "\"",
                cause);
    }

    private static boolean truth(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "t", "true", "y", "yes", "on", "1" -> true;
            case "f", "false", "n", "no", "off", "0" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }

    private static double number(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
            case "nan" -> Double.NaN;
            default -> Double.parseDouble(text);
        };
    }

    private static byte[] bytea(String text) {
        if (text.startsWith("\\x")) {
            return HexFormat.of().parseHex(text.substring(2));
        }
        byte[] raw = text.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[raw.length];
        int size = 0;
        for (int i = 0; i < raw.length; i++) {
            if (raw[i] != '\\') {
                bytes[size++] = raw[i];
            } else if (i + 1 < raw.length && raw[i + 1] == '\\') {
                bytes[size++] = raw[++i];
            } else {
                bytes[size++] = (byte) Integer.parseInt(text.substring(i + 1, i + 4), 8);
                i += 3;
            }
        }
        return java.util.Arrays.copyOf(bytes, size);
    }

    private static LocalDateTime dateTime(String text) {
        return text.length() <= "2026-01-01".length()
                ? LocalDate.parse(text, DATE).atStartOfDay()
                : LocalDateTime.parse(text, TIMESTAMP_READ);
    }

    private interface Joining<T extends Temporal> {
        T from(TemporalAccessor parsed);
    }

    private static <T extends Temporal> T zoned(
            String text, DateTimeFormatter local, Joining<T> joining) {
        DateTimeFormatter whole =
                new DateTimeFormatterBuilder()
                        .append(local)
                        .appendOptional(READ_ZONE)
                        .parseDefaulting(ChronoField.OFFSET_SECONDS, 0)
                        .toFormatter(Locale.ROOT);
        return joining.from(whole.parse(text));
    }

    private static List<@Nullable Object> array(ColumnType type, String text) {
        ColumnType element = type.element() == null ? ColumnType.UNKNOWN : type.element();
        ArrayText reader = new ArrayText(text.strip());
        List<@Nullable Object> values = new ArrayList<>();
        for (String item : reader.items()) {
            values.add(item == null ? null : parse(element, item));
        }
        return Collections.unmodifiableList(values);
    }

    static boolean isText(DataType type) {
        return type == DataType.TEXT || type == DataType.VARCHAR || type == DataType.CHAR;
    }
}
