package petrichor.services.fetch;

import java.time.Duration;

/**
 * Limits that operators can set; the constants are App Engine's.
 *
 * @param fetchesPerAppMax running at once; more wait, within their deadline
 * @param fetchesMax running at once for all apps
 */
public record FetchLimits(int fetchesPerAppMax, int fetchesMax) {
    public static final int URL_CHARS_MAX = 10_240;
    public static final int PAYLOAD_BYTES_MAX = 10 << 20;

    /** 32 MiB less half a mebibyte for the header fields: both are in one message. */
    public static final int RESPONSE_BYTES_MAX = 63 << 19;

    public static final int REDIRECTS_MAX = 5;
    public static final int REQUEST_HEADERS_MAX = 200;
    public static final int RESPONSE_HEADERS_MAX = 200;
    public static final int RESPONSE_HEADER_BYTES_MAX = 256 << 10;
    public static final int RESPONSE_LINE_BYTES_MAX = 64 << 10;

    public static final Duration DEADLINE_DEFAULT = Duration.ofSeconds(5);
    public static final Duration DEADLINE_MAX = Duration.ofMinutes(1);

    /** In requests of task queues and cron. */
    public static final Duration DEADLINE_IN_TASKS_MAX = Duration.ofMinutes(10);

    /** Threads that resolve names: the platform's resolver blocks the thread that calls it. */
    public static final int LOOKUPS_MAX = 64;

    public static final FetchLimits DEFAULT = new FetchLimits(50, 200);

    public FetchLimits {
        if (fetchesPerAppMax < 1 || fetchesMax < 1) {
            throw new IllegalArgumentException("at least one fetch must be possible");
        }
    }
}
