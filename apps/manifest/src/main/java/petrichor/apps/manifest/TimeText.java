package petrichor.apps.manifest;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The times of {@code app.yaml}. Each method returns null if the text is not valid. */
final class TimeText {
    static final String EXPIRATION = "a time such as 10m or 1d 12h";
    static final String IDLE_TIMEOUT = "a time such as 10m or 90s";
    static final String PENDING_LATENCY = "a time such as 30ms or 5s, or automatic";

    private static final Pattern EXPIRATION_PART = Pattern.compile("([0-9]{1,9})([DdHhMmSs]?)");
    private static final Pattern EXPIRATION_TEXT =
            Pattern.compile("\\s*" + EXPIRATION_PART + "(\\s+" + EXPIRATION_PART + ")*+\\s*");
    private static final Pattern IDLE = Pattern.compile("([0-9]{1,9})([sm])");
    private static final Pattern LATENCY = Pattern.compile("([0-9]{1,9})(\\.[0-9]{1,3})?(s|ms)");
    private static final double MILLIS_PER_SECOND = 1_000;
    private static final int CHARACTERS_MAX = 100;

    private TimeText() {}

    /** The sum of parts such as {@code 1d 12h 30}; a part without unit is in seconds. */
    static @Nullable Duration expiration(String text) {
        if (text.length() > CHARACTERS_MAX || !EXPIRATION_TEXT.matcher(text).matches()) {
            return null;
        }
        Duration sum = Duration.ZERO;
        Matcher part = EXPIRATION_PART.matcher(text);
        while (part.find()) {
            sum = sum.plus(amount(part.group(1), part.group(2)));
        }
        return sum;
    }

    static @Nullable Duration idleTimeout(String text) {
        Matcher matcher = IDLE.matcher(text);
        return matcher.matches() ? amount(matcher.group(1), matcher.group(2)) : null;
    }

    /** Seconds with up to three decimals, or whole milliseconds. */
    static @Nullable Duration latency(String text) {
        Matcher matcher = LATENCY.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        String decimals = matcher.group(2) == null ? "" : matcher.group(2);
        if (matcher.group(3).equals("ms")) {
            return decimals.isEmpty() ? Duration.ofMillis(Long.parseLong(matcher.group(1))) : null;
        }
        double seconds = Double.parseDouble(matcher.group(1) + decimals);
        return Duration.ofMillis(Math.round(seconds * MILLIS_PER_SECOND));
    }

    private static Duration amount(String digits, String unit) {
        long number = Long.parseLong(digits);
        return switch (unit) {
            case "d", "D" -> Duration.ofDays(number);
            case "h", "H" -> Duration.ofHours(number);
            case "m", "M" -> Duration.ofMinutes(number);
            default -> Duration.ofSeconds(number);
        };
    }
}
