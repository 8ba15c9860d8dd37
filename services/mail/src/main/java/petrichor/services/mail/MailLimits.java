package petrichor.services.mail;

import java.time.Duration;

/**
 * Limits that operators can set; the constants are App Engine's or ours.
 *
 * @param perMinuteMax mails that one app may send in a minute
 * @param queuedMax mails of one app that wait to be sent
 * @param keptMax mails of one app that are kept for inspection, when sending failed or no SMTP
 *     server is configured; older ones are deleted
 */
public record MailLimits(int perMinuteMax, int queuedMax, int keptMax) {
    /** App Engine's limit of 31.5 MB, with everything encoded. */
    public static final int MESSAGE_BYTES_MAX = 63 << 19;

    /** Recipients of one message. */
    public static final int RECIPIENTS_MAX = 1000;

    public static final int ATTACHMENTS_MAX = 100;
    public static final int HEADERS_MAX = 50;
    public static final int ADDRESS_CHARS_MAX = 1000;
    public static final int SUBJECT_CHARS_MAX = 4000;

    /** Of the kept mails of one app. */
    public static final long KEPT_BYTES_MAX = 64L << 20;

    /** Of the queued mails of one app. */
    public static final long QUEUED_BYTES_MAX = 1L << 30;

    /** Pause after the first failed attempt; doubled after each further one. */
    public static final Duration RETRY_MIN = Duration.ofMinutes(1);

    public static final Duration RETRY_MAX = Duration.ofHours(1);

    /** Then a mail that cannot be sent has failed. */
    public static final Duration RETRY_AGE_MAX = Duration.ofDays(1);

    public static final MailLimits DEFAULT = new MailLimits(100, 10_000, 100);

    public MailLimits {
        if (perMinuteMax < 1 || queuedMax < 1 || keptMax < 1) {
            throw new IllegalArgumentException("at least one mail must be possible");
        }
    }

    static Duration pause(int attempts) {
        int doublings = Math.min(attempts - 1, 10);
        Duration pause = RETRY_MIN.multipliedBy(1L << doublings);
        return pause.compareTo(RETRY_MAX) < 0 ? pause : RETRY_MAX;
    }
}
