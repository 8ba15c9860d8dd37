package petrichor.services.channels;

import java.time.Duration;

/**
 * Limits of channels. Operators can set the components; the constants are App Engine's or ours.
 *
 * @param channelsPerApp channels of one app at one time
 * @param connectionsMax connections of browsers to one server
 */
public record ChannelLimits(int channelsPerApp, int connectionsMax) {
    /** App Engine's limit on the UTF-8 form of a message. */
    public static final int MESSAGE_BYTES_MAX = 32 << 10;

    /** App Engine's limit on the UTF-8 form of a client's id. */
    public static final int CLIENT_ID_BYTES_MAX = 256;

    /** How long a token is valid if the app does not say. */
    public static final Duration VALIDITY = Duration.ofHours(2);

    public static final Duration VALIDITY_MAX = Duration.ofHours(24);

    /** Undelivered messages of one channel. */
    public static final int QUEUED_MAX = 100;

    /** Bytes of the undelivered messages of one channel. */
    public static final int QUEUED_BYTES_MAX = 1 << 20;

    /**
     * A message for a client without a channel is kept so long: after a change of the owner the
     * client may not be registered yet.
     */
    static final Duration UNKNOWN_CLIENT = Duration.ofMinutes(1);

    /** A client whose connection broke stays present so long, because it may connect again. */
    static final Duration RECONNECT = Duration.ofSeconds(10);

    /** A server that does not poll for so long has failed; its connections are broken. */
    static final Duration SERVER_SILENT = Duration.ofSeconds(10);

    /** A poll without messages is answered after this time. */
    static final Duration POLL = Duration.ofSeconds(20);

    /** Bytes of messages in one answer, at least one message. */
    static final int POLL_BYTES_MAX = 256 << 10;

    /** Bytes on their way to one connection, at least one message. */
    static final int IN_FLIGHT_BYTES_MAX = 64 << 10;

    /** Memory of a channel, without its messages. */
    static final int CHANNEL_BYTES = 1 << 10;

    /** Memory of a message, without its bytes. */
    static final int MESSAGE_OVERHEAD_BYTES = 64;

    /** Memory of a connection, with its thread. */
    static final int CONNECTION_BYTES = 4 << 10;

    public static final ChannelLimits DEFAULT = new ChannelLimits(10_000, 10_000);

    public ChannelLimits {
        if (channelsPerApp < 1 || connectionsMax < 1) {
            throw new IllegalArgumentException("at least one channel must be possible");
        }
    }
}
