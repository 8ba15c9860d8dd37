package petrichor.sql;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's texts of dates and times in the order month, day, year, such as {@code Jan 5 2024}
 * and {@code today}, as expressions of the standard.
 */
public final class TimeLiteral {
    /** What a text is read as. */
    public enum Kind {
        DATE("date", "DATE"),
        TIME("time", "TIME"),
        TIMESTAMP("timestamp", "TIMESTAMP"),
        TIMESTAMPTZ("timestamp with time zone", "TIMESTAMP WITH TIME ZONE");

        private final String shown;
        private final String type;

        Kind(String shown, String type) {
            this.shown = shown;
            this.type = type;
        }
    }

    private static final List<String> MONTHS =
            List.of(
                    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov",
                    "dec");

    private static final List<String> DAYS =
            List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");

    private static final Pattern DAY = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");
    private static final Pattern PLAIN =
            Pattern.compile("\\d{4}-\\d{2}-\\d{2}( \\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?)?");
    private static final Pattern CLOCK =
            Pattern.compile("(\\d{1,2}):(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d*))?)?(.*)");

    private static final Pattern OFFSET =
            Pattern.compile("([+-])(\\d{1,2}):?(\\d{2})?(?::\\d{2})?");
    private static final Pattern NUMBERS =
            Pattern.compile("(\\d+)([-/.])(\\d+|[a-z]+)(?:\\2(\\d+|[a-z]+))?");
    private static final Pattern NAMED = Pattern.compile("([a-z]+)([-/.])(\\d+)\\2(\\d+)");

    private final Kind kind;
    private final String text;
    private int year = -1;
    private int month = -1;
    private int day = -1;
    private @Nullable String clock;
    private @Nullable String zone;
    private @Nullable ZoneId region;
    private boolean afternoon;
    private boolean morning;

    private TimeLiteral(Kind kind, String text) {
        this.kind = kind;
        this.text = text;
    }

    /**
     * An expression of the type; null if the text is left to the engine.
     *
     * @param text without quotes
     */
    static @Nullable String expression(Kind kind, String text) {
        String value = text.strip().toLowerCase(Locale.ROOT);
        String relative = relative(kind, value);
        if (relative != null) {
            return relative;
        }
        boolean special = value.contains("infinity") || value.contains("bc") || value.isEmpty();
        boolean plain =
                kind == Kind.DATE
                        ? DAY.matcher(value).matches() && isDay(value)
                        : PLAIN.matcher(value).matches();
        return special || plain ? null : new TimeLiteral(kind, value).parsed();
    }

    /** The text as the standard writes it; null if it is left to the engine. */
    public static @Nullable String normalized(Kind kind, String text) {
        String expression = expression(kind, text);
        boolean literal = expression != null && expression.startsWith("CAST('");
        return expression == null || !literal
                ? null
                : expression.substring(6, expression.indexOf('\'', 6));
    }

    private static boolean isDay(String text) {
        try {
            LocalDate _ = LocalDate.parse(text);
            return true;
        } catch (DateTimeException none) {
            return false;
        }
    }

    private static @Nullable String relative(Kind kind, String value) {
        String day =
                switch (value) {
                    case "today" -> "CURRENT_DATE";
                    case "tomorrow" -> "(CURRENT_DATE + 1)";
                    case "yesterday" -> "(CURRENT_DATE - 1)";
                    case "epoch" -> "DATE '1970-01-01'";
                    default -> "";
                };
        if (value.equals("now")) {
            return switch (kind) {
                case DATE -> "CURRENT_DATE";
                case TIME -> "LOCALTIME";
                case TIMESTAMP -> "LOCALTIMESTAMP";
                case TIMESTAMPTZ -> "CURRENT_TIMESTAMP";
            };
        }
        if (day.isEmpty() || kind == Kind.TIME) {
            return null;
        }
        if (value.equals("epoch") && kind == Kind.TIMESTAMPTZ) {
            return "CAST('1970-01-01 00:00:00+00:00' AS TIMESTAMP WITH TIME ZONE)";
        }
        return "CAST(" + day + " AS " + kind.type + ")";
    }

    private String parsed() {
        String spaced = text.replace(',', ' ').replaceAll("(\\d)t(\\d)", "$1 $2");
        for (String field : spaced.split("\\s+", 0)) {
            field(field);
        }
        if (kind == Kind.TIME) {
            return "CAST('" + clockText() + "' AS TIME(6))";
        }
        if (year < 0 || month < 0 || day < 0) {
            throw invalid();
        }
        String date;
        try {
            date = LocalDate.of(year, month, day).toString();
        } catch (DateTimeException outside) {
            throw outside();
        }
        return switch (kind) {
            case DATE, TIME -> "CAST('" + date + "' AS DATE)";
            case TIMESTAMP -> "CAST('" + date + " " + clockText() + "' AS TIMESTAMP)";
            case TIMESTAMPTZ ->
                    "CAST('"
                            + date
                            + " "
                            + clockText()
                            + zoneText(date)
                            + "' AS TIMESTAMP WITH TIME ZONE)";
        };
    }

    private SqlException invalid() {
        return new SqlException(
                SqlState.INVALID_DATETIME,
                "invalid input syntax for type " + kind.shown + ": \"" + text + "\"");
    }

    private SqlException outside() {
        return new SqlException(
                SqlState.DATETIME_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
    }

    private void field(String field) {
        Matcher time = CLOCK.matcher(field);
        Matcher numbers = NUMBERS.matcher(field);
        Matcher named = NAMED.matcher(field);
        if (time.matches()) {
            clock(time);
        } else if (named.matches()) {
            month = month(named.group(1));
            dayAndYear(named.group(3), named.group(4));
        } else if (numbers.matches() && numbers.group(4) != null) {
            numbers(numbers.group(1), numbers.group(3), numbers.group(4));
        } else if (field.matches("\\d{8}")) {
            ymd(field.substring(0, 4), field.substring(4, 6), field.substring(6));
        } else if (field.matches("\\d{6}") && year < 0) {
            ymd(field.substring(0, 2), field.substring(2, 4), field.substring(4));
        } else if (field.matches("\\d{6}") && clock == null) {
            field(field.substring(0, 2) + ':' + field.substring(2, 4) + ':' + field.substring(4));
        } else if (field.matches("\\d+")) {
            number(field);
        } else if (OFFSET.matcher(field).matches()) {
            zone = zone(field);
        } else {
            word(field);
        }
    }

    private void clock(Matcher time) {
        String fraction = time.group(4) == null ? "" : time.group(4);
        int hour = Integer.parseInt(time.group(1));
        int minute = Integer.parseInt(time.group(2));
        int second = time.group(3) == null ? 0 : Integer.parseInt(time.group(3));
        boolean midnight = hour == 24 && minute == 0 && second == 0;
        if ((hour > 23 && !midnight) || minute > 59 || second > 60 || midnight || second == 60) {
            if (midnight || second == 60) {
                throw new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED, "the time " + text + ": not supported");
            }
            throw outside();
        }
        clock =
                String.format(Locale.ROOT, "%02d:%02d:%02d", hour, minute, second)
                        + (fraction.isEmpty() ? "" : "." + fraction);
        String rest = time.group(5);
        if (!rest.isEmpty()) {
            field(rest);
        }
    }

    private void numbers(String first, String second, String third) {
        if (Character.isLetter(second.charAt(0))) {
            month = month(second);
            if (first.length() > 2) {
                year = Integer.parseInt(first);
                day = Integer.parseInt(third);
            } else {
                dayAndYear(first, third);
            }
        } else if (first.length() > 2) {
            ymd(first, second, third);
        } else if (Character.isLetter(third.charAt(0))) {
            throw invalid();
        } else {
            month = Integer.parseInt(first);
            dayAndYear(second, third);
        }
    }

    private void ymd(String years, String months, String days) {
        if (Character.isLetter(days.charAt(0))) {
            month = month(days);
            days = months;
        } else {
            month = small(months);
        }
        year = year(years);
        day = small(days);
    }

    private void dayAndYear(String days, String years) {
        day = small(days);
        year = year(years);
    }

    private int small(String digits) {
        if (digits.length() > 4) {
            throw outside();
        }
        return Integer.parseInt(digits);
    }

    private int year(String digits) {
        if (digits.length() > 6) {
            throw outside();
        }
        int number = Integer.parseInt(digits);
        return digits.length() > 2 ? number : number + (number < 70 ? 2000 : 1900);
    }

    private void number(String digits) {
        if (digits.length() > 2 && year < 0) {
            year = year(digits);
        } else if (digits.length() > 2) {
            throw outside();
        } else if (year >= 0 && month < 0) {
            month = small(digits);
        } else if (month >= 0 && day < 0) {
            day = small(digits);
        } else if (month >= 0 && year < 0) {
            year = year(digits);
        } else if (month < 0 && day < 0) {
            // A day in front of the name of its month, or the month of MDY.
            day = small(digits);
        } else if (month < 0) {
            month = day;
            day = small(digits);
        } else {
            throw outside();
        }
    }

    private void word(String word) {
        String start = word.length() < 3 ? word : word.substring(0, 3);
        switch (word) {
            case "am" -> morning = true;
            case "pm" -> afternoon = true;
            case "z", "utc", "gmt", "zulu" -> zone = "+00:00";
            case "pst" -> zone = "-08:00";
            case "pdt" -> zone = "-07:00";
            case "est" -> zone = "-05:00";
            case "edt", "ast" -> zone = "-04:00";
            case "mst" -> zone = "-07:00";
            case "cst", "mdt" -> zone = "-06:00";
            case "cdt" -> zone = "-05:00";
            case "wet" -> zone = "+00:00";
            case "cet", "bst", "west" -> zone = "+01:00";
            case "cest", "eet" -> zone = "+02:00";
            case "eest", "msk" -> zone = "+03:00";
            case "jst" -> zone = "+09:00";
            case "ad", "at", "on" -> {
                // Says nothing more.
            }
            default -> {
                if (MONTHS.contains(start)) {
                    month = month(word);
                } else if (!DAYS.contains(start)) {
                    region = region(word);
                }
            }
        }
    }

    /** A zone by its name, in upper or lower case. */
    private ZoneId region(String word) {
        for (String name : ZoneId.getAvailableZoneIds()) {
            if (name.equalsIgnoreCase(word)) {
                return ZoneId.of(name);
            }
        }
        throw invalid();
    }

    /** The offset; at a change of the clocks the earlier one if it skips, otherwise the later. */
    private String zoneText(String date) {
        ZoneId named = region;
        if (named == null) {
            return zone == null ? "" : zone;
        }
        LocalDateTime local = LocalDateTime.parse(date + "T" + clockText());
        ZoneOffsetTransition change = named.getRules().getTransition(local);
        ZoneOffset offset =
                change == null
                        ? named.getRules().getOffset(local)
                        : change.isGap() ? change.getOffsetBefore() : change.getOffsetAfter();
        return offset.equals(ZoneOffset.UTC) ? "+00:00" : offset.getId();
    }

    private int month(String word) {
        int found = word.length() < 3 ? -1 : MONTHS.indexOf(word.substring(0, 3));
        if (found < 0) {
            throw invalid();
        }
        return found + 1;
    }

    private static String zone(String field) {
        Matcher offset = OFFSET.matcher(field);
        boolean _ = offset.matches();
        return String.format(
                Locale.ROOT,
                "%s%02d:%s",
                offset.group(1),
                Integer.parseInt(offset.group(2)),
                offset.group(3) == null ? "00" : offset.group(3));
    }

    private String clockText() {
        String known = clock;
        if (known == null) {
            if (kind == Kind.TIME) {
                throw invalid();
            }
            return "00:00:00";
        }
        if (!morning && !afternoon) {
            return known;
        }
        LocalTime time = LocalTime.parse(known);
        if (time.getHour() > 12) {
            throw outside();
        }
        int hour = time.getHour() % 12 + (afternoon ? 12 : 0);
        return String.format(Locale.ROOT, "%02d", hour) + known.substring(2);
    }
}
