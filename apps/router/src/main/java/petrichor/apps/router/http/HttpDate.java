package petrichor.apps.router.http;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Dates of header fields; an object formats the current second once. Thread-safe. */
public final class HttpDate {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private volatile Formatted last = new Formatted(0, format(Instant.EPOCH));

    private record Formatted(long second, String text) {}

    /** In the only format that may be sent (RFC 9110, section 5.6.7). */
    public static String format(Instant instant) {
        return FORMAT.format(instant);
    }

    public String of(Instant now) {
        Formatted known = last;
        if (known.second() != now.getEpochSecond()) {
            known = new Formatted(now.getEpochSecond(), format(now));
            last = known;
        }
        return known.text();
    }
}
