package petrichor.frontends.postgres;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.tables.TimeInterval;

/** Reads intervals such as {@code 1 year 2 mons 3 days -04:05:06.7}, also with an "ago". */
final class IntervalText {
    private static final Pattern AMOUNT = Pattern.compile("([-+]?\\d+(?:\\.\\d+)?)\\s*([a-z]+)");
    private static final Pattern CLOCK =
            Pattern.compile("([-+]?)(\\d+):(\\d{1,2})(?::(\\d{1,2}(?:\\.\\d{1,6})?))?");
    private static final BigDecimal MICROS_PER_SECOND = BigDecimal.valueOf(1_000_000);
    private static final long SECONDS_PER_DAY = 86_400;

    private IntervalText() {}

    /** IllegalArgumentException if the text is not an interval. */
    static TimeInterval parse(String written) {
        String text = written.strip().toLowerCase(Locale.ROOT);
        boolean ago = text.endsWith(" ago");
        if (ago) {
            text = text.substring(0, text.length() - " ago".length());
        }
        if (text.startsWith("@")) {
            text = text.substring(1);
        }
        int months = 0;
        int days = 0;
        BigDecimal micros = BigDecimal.ZERO;
        Matcher clock = CLOCK.matcher(text);
        if (clock.find()) {
            BigDecimal seconds =
                    clock.group(4) == null ? BigDecimal.ZERO : new BigDecimal(clock.group(4));
            long whole =
                    Long.parseLong(clock.group(2)) * 3600 + Long.parseLong(clock.group(3)) * 60;
            micros = seconds.add(BigDecimal.valueOf(whole)).multiply(MICROS_PER_SECOND);
            if (clock.group(1).equals("-")) {
                micros = micros.negate();
            }
            text = text.substring(0, clock.start()) + text.substring(clock.end());
        }
        Matcher amounts = AMOUNT.matcher(text);
        while (amounts.find()) {
            BigDecimal amount = new BigDecimal(amounts.group(1));
            switch (amounts.group(2)) {
                case "y", "yr", "yrs", "year", "years" ->
                        months += amount.multiply(BigDecimal.valueOf(12)).intValueExact();
                case "mon", "mons", "month", "months" -> months += amount.intValueExact();
                case "w", "week", "weeks" ->
                        days += amount.multiply(BigDecimal.valueOf(7)).intValueExact();
                case "d", "day", "days" -> {
                    days += amount.intValue();
                    micros =
                            micros.add(
                                    amount.remainder(BigDecimal.ONE)
                                            .multiply(BigDecimal.valueOf(SECONDS_PER_DAY))
                                            .multiply(MICROS_PER_SECOND));
                }
                case "h", "hr", "hrs", "hour", "hours" ->
                        micros = micros.add(seconds(amount, 3600));
                case "m", "min", "mins", "minute", "minutes" ->
                        micros = micros.add(seconds(amount, 60));
                case "s", "sec", "secs", "second", "seconds" ->
                        micros = micros.add(seconds(amount, 1));
                case "ms", "millisecond", "milliseconds" ->
                        micros = micros.add(amount.multiply(BigDecimal.valueOf(1_000)));
                case "us", "microsecond", "microseconds" -> micros = micros.add(amount);
                default -> throw new IllegalArgumentException(amounts.group(2));
            }
        }
        if (written.isBlank() || !amounts.replaceAll("").isBlank()) {
            throw new IllegalArgumentException(written);
        }
        TimeInterval interval = new TimeInterval(months, days, micros.longValue());
        return ago
                ? new TimeInterval(-interval.months(), -interval.days(), -interval.micros())
                : interval;
    }

    private static BigDecimal seconds(BigDecimal amount, int each) {
        return amount.multiply(BigDecimal.valueOf(each)).multiply(MICROS_PER_SECOND);
    }
}
