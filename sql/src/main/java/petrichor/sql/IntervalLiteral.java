package petrichor.sql;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's texts of intervals, such as {@code 1 day 2 hours}, as literals of the standard,
 * which keeps months and days apart.
 */
final class IntervalLiteral {
    private static final Pattern PART =
            Pattern.compile(
                    "\\s*(?:([+-]?\\d+):(\\d{1,2})(?::(\\d{1,2}(?:\\.\\d*)?))?(?![\\d:])"
                            + "|([+-]?(?:\\d+\\.?\\d*|\\.\\d+))\\s*([a-z]*))\\s*");

    /** Years and months. */
    private static final Pattern MONTHS = Pattern.compile("\\s*([+-]?)(\\d+)-(\\d{1,2})(?:\\s+|$)");

    private static final Pattern ISO =
            Pattern.compile(
                    "P(?:([+-]?[\\d.]+)Y)?(?:([+-]?[\\d.]+)M)?(?:([+-]?[\\d.]+)W)?(?:([+-]?[\\d.]+)D)?"
                        + "(?:T(?:([+-]?[\\d.]+)H)?(?:([+-]?[\\d.]+)M)?(?:([+-]?[\\d.]+)S)?)?");

    private static final BigDecimal HOUR = BigDecimal.valueOf(3_600);
    private static final BigDecimal DAY = BigDecimal.valueOf(86_400);

    private BigDecimal months = BigDecimal.ZERO;
    private BigDecimal days = BigDecimal.ZERO;
    private BigDecimal seconds = BigDecimal.ZERO;

    private IntervalLiteral() {}

    /**
     * Expressions of the standard, which have to be added: one, or months and a rest. Null if the
     * text is none.
     *
     * @param sign of an operator in front: {@code +} or {@code -}; empty if there is none
     */
    static @Nullable String expression(String text, String sign) {
        IntervalLiteral read = new IntervalLiteral();
        if (!read.parse(text.strip())) {
            return null;
        }
        return read.literal(sign);
    }

    private @Nullable String literal(String sign) {
        long whole = months.setScale(0, RoundingMode.DOWN).longValueExact();
        // A fraction of a month has 30 days.
        BigDecimal rest =
                months.subtract(BigDecimal.valueOf(whole)).multiply(BigDecimal.valueOf(30));
        BigDecimal all = days.add(rest);
        BigDecimal full = all.setScale(0, RoundingMode.DOWN);
        BigDecimal time =
                seconds.add(all.subtract(full).multiply(DAY)).setScale(6, RoundingMode.HALF_UP);
        String first = whole == 0 ? null : "INTERVAL '" + whole + "' MONTH";
        boolean none = full.signum() == 0 && time.signum() == 0;
        if (none && first != null) {
            return first;
        }
        String second = span(full, time);
        if (first == null) {
            return second;
        }
        return sign.isEmpty() ? null : first + " " + sign + " " + second;
    }

    private static String span(BigDecimal days, BigDecimal time) {
        BigDecimal total = days.multiply(DAY).add(time);
        String minus = total.signum() < 0 ? "-" : "";
        BigDecimal rest = total.abs();
        boolean hours = days.signum() == 0;
        StringBuilder text = new StringBuilder("INTERVAL '").append(minus);
        if (!hours) {
            BigDecimal[] parts = rest.divideAndRemainder(DAY);
            text.append(parts[0].toBigInteger()).append(' ');
            rest = parts[1];
        }
        BigDecimal[] parts = rest.divideAndRemainder(HOUR);
        BigDecimal[] minutes = parts[1].divideAndRemainder(BigDecimal.valueOf(60));
        text.append(
                String.format(
                        Locale.ROOT,
                        "%d:%02d:%09.6f",
                        parts[0].toBigInteger(),
                        minutes[0].intValue(),
                        minutes[1]));
        return text.append(hours ? "' HOUR TO SECOND(6)" : "' DAY TO SECOND(6)").toString();
    }

    private boolean parse(String text) {
        Matcher iso = ISO.matcher(text);
        if (text.startsWith("P") && text.length() > 1 && iso.matches()) {
            String[] units = {"year", "month", "week", "day", "hour", "minute", "second"};
            for (int i = 0; i < units.length; i++) {
                if (iso.group(i + 1) != null && !add(new BigDecimal(iso.group(i + 1)), units[i])) {
                    return false;
                }
            }
            return true;
        }
        String lower = text.toLowerCase(Locale.ROOT);
        boolean ago = lower.endsWith("ago");
        String parts = (ago ? lower.substring(0, lower.length() - 3) : lower).replace("@", " ");
        Matcher years = MONTHS.matcher(parts);
        int start = years.lookingAt() ? years.end() : 0;
        if (start > 0 && !add(years)) {
            return false;
        }
        Matcher part = PART.matcher(parts);
        int at = start;
        while (at < parts.length() && part.find(at) && part.start() == at && part.end() > at) {
            boolean range =
                    part.group(4) != null
                            && part.end(4) + 1 < parts.length()
                            && parts.charAt(part.end(4)) == '-'
                            && Character.isDigit(parts.charAt(part.end(4) + 1));
            if (range || !add(part, at == start)) {
                return false;
            }
            at = part.end();
        }
        if (at < parts.length() || parts.isBlank()) {
            return false;
        }
        if (ago) {
            months = months.negate();
            days = days.negate();
            seconds = seconds.negate();
        }
        return true;
    }

    private boolean add(Matcher years) {
        BigDecimal rest = new BigDecimal(years.group(3));
        if (rest.compareTo(BigDecimal.valueOf(12)) >= 0) {
            return false;
        }
        BigDecimal number =
                new BigDecimal(years.group(2)).multiply(BigDecimal.valueOf(12)).add(rest);
        months(years.group(1).equals("-") ? number.negate() : number, 1);
        return true;
    }

    private boolean add(Matcher part, boolean first) {
        if (part.group(1) == null) {
            String unit = part.group(5);
            boolean days = unit.isEmpty() && part.end() < part.regionEnd();
            return add(new BigDecimal(part.group(4)), days && first ? "day" : unit);
        }
        boolean negative = part.group(1).startsWith("-");
        BigDecimal time =
                new BigDecimal(part.group(1).replace("+", "").replace("-", ""))
                        .multiply(HOUR)
                        .add(new BigDecimal(part.group(2)).multiply(BigDecimal.valueOf(60)));
        if (part.group(3) != null) {
            time = time.add(new BigDecimal(part.group(3)));
        }
        seconds = seconds.add(negative ? time.negate() : time);
        return true;
    }

    private boolean add(BigDecimal number, String unit) {
        switch (unit) {
            case "millennium", "millennia", "millenniums", "mil", "mils" -> months(number, 12_000);
            case "century", "centuries", "cent", "c" -> months(number, 1_200);
            case "decade", "decades", "dec", "decs" -> months(number, 120);
            case "year", "years", "yr", "yrs", "y" -> months(number, 12);
            case "month", "months", "mon", "mons" -> months(number, 1);
            case "week", "weeks", "w" -> days = days.add(number.multiply(BigDecimal.valueOf(7)));
            case "day", "days", "d" -> days = days.add(number);
            case "hour", "hours", "hr", "hrs", "h" -> seconds(number, HOUR);
            case "minute", "minutes", "min", "mins", "m" -> seconds(number, BigDecimal.valueOf(60));
            case "", "second", "seconds", "sec", "secs", "s" -> seconds(number, BigDecimal.ONE);
            case "millisecond", "milliseconds", "msec", "msecs", "ms" ->
                    seconds(number, new BigDecimal("0.001"));
            case "microsecond", "microseconds", "usec", "usecs", "us" ->
                    seconds(number, new BigDecimal("0.000001"));
            default -> {
                return false;
            }
        }
        return true;
    }

    private void months(BigDecimal number, int factor) {
        months = months.add(number.multiply(BigDecimal.valueOf(factor)));
    }

    private void seconds(BigDecimal number, BigDecimal factor) {
        seconds = seconds.add(number.multiply(factor));
    }
}
