package petrichor.services.xmpp;

import java.time.Duration;

/**
 * Limits that operators can set; the constants are App Engine's or ours.
 *
 * @param perMinuteMax stanzas that one app may send in a minute: one per recipient
 */
public record XmppLimits(int perMinuteMax) {
    /** App Engine's limit of a message's body, in UTF-8. */
    public static final int BODY_BYTES_MAX = 100 << 10;

    /** Recipients of one call. */
    public static final int RECIPIENTS_MAX = 500;

    /** RFC 7622: each of the three parts has at most 1,023 bytes. */
    public static final int ADDRESS_CHARS_MAX = 3071;

    public static final int STATUS_CHARS_MAX = 1024;

    /** Nesting of raw XML. */
    public static final int XML_DEPTH_MAX = 32;

    /** Connected apps of one server; each takes two threads. */
    public static final int CONNECTIONS_MAX = 500;

    /** Users who see the presence of one app; further subscriptions are refused. */
    public static final int SUBSCRIBERS_MAX = 10_000;

    /** Stanzas of one app that wait for it. */
    public static final int INCOMING_MAX = 1000;

    /** An incoming stanza takes so much more memory than its body. */
    static final int STANZA_BYTES = 4096;

    public static final Duration CONNECT_MAX = Duration.ofSeconds(10);

    /** For one answer of the server, and for its acknowledgement of messages. */
    public static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    /** Between pings, which detect a broken connection. */
    public static final Duration PING_INTERVAL = Duration.ofMinutes(1);

    /** Pause after the first failed attempt to connect; doubled after each further one. */
    public static final Duration RETRY_MIN = Duration.ofSeconds(1);

    public static final Duration RETRY_MAX = Duration.ofMinutes(1);

    public static final XmppLimits DEFAULT = new XmppLimits(6000);

    public XmppLimits {
        if (perMinuteMax < 1) {
            throw new IllegalArgumentException("at least one stanza must be possible");
        }
    }

    static Duration pause(int failures) {
        Duration pause = RETRY_MIN.multipliedBy(1L << Math.min(failures - 1, 10));
        return pause.compareTo(RETRY_MAX) < 0 ? pause : RETRY_MAX;
    }
}
