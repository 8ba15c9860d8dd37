package petrichor.server.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the values of keys. Callers check {@link #fits} first. */
final class SettingValue {
    private static final int COUNT_MAX = 2_000_000_000;
    private static final int PORT_MAX = 65_535;
    private static final int PERCENT_MIN = 5;
    private static final int PERCENT_MAX = 90;
    private static final long MEMORY_MIN = 64L << 20;
    private static final long MEMORY_MAX = 1L << 40;
    private static final Pattern WHOLE = Pattern.compile("\\d{1,10}");
    private static final Pattern RATIO = Pattern.compile("0(\\.\\d{1,9})?|1(\\.0{1,9})?");
    private static final Pattern BYTES =
            Pattern.compile("(\\d{1,10})\\s*(KiB|MiB|GiB)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h)");

    private SettingValue() {}

    static boolean fits(SettingKind kind, String text) {
        return switch (kind) {
            case TEXT -> !text.isBlank();
            case SECRET, OPTIONAL, PATH -> true;
            case FLAG -> text.equals("true") || text.equals("false");
            case PORT -> whole(text) >= 0 && whole(text) <= PORT_MAX;
            case COUNT -> whole(text) >= 1 && whole(text) <= COUNT_MAX;
            case PERCENT -> whole(text) >= PERCENT_MIN && whole(text) <= PERCENT_MAX;
            case RATIO -> RATIO.matcher(text).matches();
            case BYTES -> bytes(text) >= 1 && bytes(text) <= Integer.MAX_VALUE;
            case MEMORY -> bytes(text) >= MEMORY_MIN && bytes(text) <= MEMORY_MAX;
            case OPTIONAL_MEMORY -> text.isEmpty() || fits(SettingKind.MEMORY, text);
            case DURATION -> duration(text).isPositive();
            case CONCURRENCY -> oneOf(text, "optimistic", "pessimistic");
            case FORMAT -> oneOf(text, "auto", "human", "json");
            case LEVEL -> oneOf(text, "debug", "info", "warn", "error");
            case EVENTS -> oneOf(text, "off", "writes", "all");
        };
    }

    /** -1 if the text is not a whole number. */
    static long whole(String text) {
        return WHOLE.matcher(text).matches() ? Long.parseLong(text) : -1;
    }

    /** -1 if the text is not a size. */
    static long bytes(String text) {
        Matcher matcher = BYTES.matcher(text.trim());
        if (!matcher.matches()) {
            return -1;
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (Objects.requireNonNullElse(matcher.group(2), "").toLowerCase(Locale.ROOT)) {
            case "kib" -> number << 10;
            case "mib" -> number << 20;
            case "gib" -> number << 30;
            default -> number;
        };
    }

    /** Zero if the text is not a duration. */
    static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text.trim());
        if (!matcher.matches()) {
            return Duration.ZERO;
        }
        long number = Long.parseLong(matcher.group(1));
        return Duration.of(
                number,
                switch (matcher.group(2)) {
                    case "ms" -> ChronoUnit.MILLIS;
                    case "s" -> ChronoUnit.SECONDS;
                    case "m" -> ChronoUnit.MINUTES;
                    default -> ChronoUnit.HOURS;
                });
    }

    private static boolean oneOf(String text, String... words) {
        for (String word : words) {
            if (word.equals(text)) {
                return true;
            }
        }
        return false;
    }
}
