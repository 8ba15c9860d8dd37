package petrichor.apps.catalog;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/** What the number of a quota means, and how users write it. */
public enum QuotaUnit {
    /** A number. */
    COUNT("a whole number such as 20") {
        @Override
        long read(long number, String unit) {
            return unit.isEmpty() ? number : INVALID;
        }

        @Override
        String text(long value) {
            return Long.toString(value);
        }
    },
    /** Events per minute. */
    PER_MINUTE("a rate such as 6000/min or 100/s") {
        @Override
        long read(long number, String unit) {
            return switch (unit) {
                case "/min", "" -> number;
                case "/s" -> Math.multiplyExact(number, SECONDS_PER_MINUTE);
                default -> INVALID;
            };
        }

        @Override
        String text(long value) {
            return value + "/min";
        }
    },
    BYTES("a size such as 512MiB or 2GiB") {
        @Override
        long read(long number, String unit) {
            return switch (unit) {
                case "", "b" -> number;
                case "kib" -> Math.multiplyExact(number, 1L << 10);
                case "mib" -> Math.multiplyExact(number, 1L << 20);
                case "gib" -> Math.multiplyExact(number, 1L << 30);
                case "tib" -> Math.multiplyExact(number, 1L << 40);
                default -> INVALID;
            };
        }

        @Override
        String text(long value) {
            int steps = Math.min(Long.numberOfTrailingZeros(value) / 10, BYTE_UNITS.length - 1);
            return (value >> (10 * steps)) + BYTE_UNITS[steps];
        }
    },
    /** Milliseconds. */
    TIME("a duration such as 500ms, 30s, 10m or 24h") {
        @Override
        long read(long number, String unit) {
            return switch (unit) {
                case "ms" -> number;
                case "s" -> Math.multiplyExact(number, SECOND);
                case "m", "min" -> Math.multiplyExact(number, MINUTE);
                case "h" -> Math.multiplyExact(number, HOUR);
                default -> INVALID;
            };
        }

        @Override
        String text(long value) {
            if (value % HOUR == 0) {
                return value / HOUR + "h";
            }
            if (value % MINUTE == 0) {
                return value / MINUTE + "m";
            }
            return value % SECOND == 0 ? value / SECOND + "s" : value + "ms";
        }
    };

    /** No limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** How users write it. */
    public static final String UNLIMITED_TEXT = "unlimited";

    /** Of all values: a rate and a size fit calculations in 64 bits. */
    static final long VALUE_MAX = 1L << 50;

    private static final long INVALID = -1;
    private static final long SECONDS_PER_MINUTE = 60;
    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;

    /** From this number on, a size has the next unit. */
    private static final long READABLE_MAX = 10 << 10;

    private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
    private static final Pattern VALUE = Pattern.compile("(\\d{1,15})\\s*([a-zA-Z/]*)");

    private final String expectation;

    QuotaUnit(String expectation) {
        this.expectation = expectation;
    }

    /** Negative if there is no such unit. */
    abstract long read(long number, String unit);

    abstract String text(long value);

    /** The value of a text; INVALID_ARGUMENT if it has none, or one that is not positive. */
    public long parse(String quota, String text) {
        if (text.strip().equals(UNLIMITED_TEXT)) {
            return UNLIMITED;
        }
        long value = INVALID;
        Matcher matcher = VALUE.matcher(text.strip());
        if (matcher.matches()) {
            try {
                value =
                        read(
                                Long.parseLong(matcher.group(1)),
                                matcher.group(2).toLowerCase(Locale.ROOT));
            } catch (ArithmeticException tooLarge) {
                value = INVALID;
            }
        }
        if (value < 1 || value > VALUE_MAX) {
            throw PetrichorException.invalid(
                    "\"{value}\" is not a value of the quota {quota}; use {expected}, or unlimited",
                    "value",
                    text,
                    "quota",
                    quota,
                    "expected",
                    expectation);
        }
        return value;
    }

    /** What is used, which may be nothing; sizes rounded down to two digits or more. */
    public String describe(long value) {
        if (this != BYTES) {
            return text(value);
        }
        long number = value;
        int steps = 0;
        while (number >= READABLE_MAX && steps < BYTE_UNITS.length - 1) {
            number >>= 10;
            steps++;
        }
        return number + BYTE_UNITS[steps];
    }

    /** As {@link #parse} reads it. */
    public String format(long value) {
        return value == UNLIMITED ? UNLIMITED_TEXT : text(value);
    }
}
