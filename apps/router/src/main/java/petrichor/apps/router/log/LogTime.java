package petrichor.apps.router.log;

import java.time.Instant;

/**
 * Writes times as {@link Instant#toString} does. Formats the date once per second. Not thread-safe.
 */
final class LogTime {
    private static final int NANOS_PER_MILLI = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private long second = Long.MIN_VALUE;
    private String formatted = "";

    void append(StringBuilder to, Instant time) {
        if (time.getEpochSecond() != second) {
            second = time.getEpochSecond();
            String whole = Instant.ofEpochSecond(second).toString();
            formatted = whole.substring(0, whole.length() - 1);
        }
        to.append(formatted);
        int nanos = time.getNano();
        if (nanos == 0) {
            to.append('Z');
        } else if (nanos % NANOS_PER_MILLI == 0) {
            fraction(to, nanos / NANOS_PER_MILLI, 3);
        } else if (nanos % NANOS_PER_MICRO == 0) {
            fraction(to, nanos / NANOS_PER_MICRO, 6);
        } else {
            fraction(to, nanos, 9);
        }
    }

    private static void fraction(StringBuilder to, int value, int digits) {
        String text = Integer.toString(value);
        to.append('.').repeat('0', digits - text.length()).append(text).append('Z');
    }
}
