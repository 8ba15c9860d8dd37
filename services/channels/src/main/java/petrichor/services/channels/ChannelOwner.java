package petrichor.services.channels;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import petrichor.base.Cancellation;

/**
 * The owner of an app's channels, as a server with connections of browsers calls it; {@link
 * Channels} answers. The calls do not block, and every failure is in the future. Thread-safe.
 */
public interface ChannelOwner {
    /**
     * A connection of a browser.
     *
     * @param connection random, unique
     * @param expiresMicros end of the validity of its token, microseconds since 1970
     * @param first false if it is registered again, after a change of the owner
     */
    record Opening(String connection, String clientId, long expiresMicros, boolean first) {}

    /**
     * @param registration of the owner's state, which the next calls name
     * @param refused why some connections must end
     */
    record Registered(long registration, List<Refusal> refused) {}

    /** A connection that must end. */
    record Refusal(String connection, End reason) {}

    /** Why a connection ends. */
    enum End {
        /** Its token has expired. */
        EXPIRED,
        /** The client has connected again. */
        REPLACED,
        /** The limit of channels is reached. */
        FULL,
        /** This server stops; the client can connect to another one. */
        STOPPING,
        /** The browser has disconnected. */
        DISCONNECTED
    }

    /**
     * A message for a connection.
     *
     * @param sequence rises with every message, also if a message is sent again
     * @param restarted the first message since the connection was registered, or since the server
     *     asked to send some again
     * @param message UTF-8; not copied
     */
    record Delivery(String connection, long sequence, boolean restarted, byte[] message) {}

    /**
     * The outcome of a poll.
     *
     * @param registered false if the owner does not know the server: it must register all
     *     connections again
     * @param replaced connections whose clients have connected again
     */
    record Polled(boolean registered, List<Delivery> deliveries, List<String> replaced) {
        static final Polled UNREGISTERED = new Polled(false, List.of(), List.of());
        static final Polled NOTHING = new Polled(true, List.of(), List.of());
    }

    /**
     * How far the messages of a connection have come.
     *
     * @param written sequence of the last message that was written to the browser; 0 for none
     * @param resendAfter messages with a higher sequence must be sent again; -1 if none
     */
    record Receipt(String connection, long written, long resendAfter) {}

    /**
     * A connection that has ended.
     *
     * @param clean the browser closed it, and will not come back
     */
    record Closing(String connection, boolean clean) {}

    /** What happened to the connections of a server. */
    record Report(long registration, List<Receipt> receipts, List<Closing> closings) {}

    CompletableFuture<Registered> register(String project, String server, List<Opening> openings);

    /**
     * Completes when there are messages for connections of the server, or after {@link
     * ChannelLimits#POLL}. A server has one poll at a time; a new one ends the former.
     *
     * @param within ends the poll early
     */
    CompletableFuture<Polled> poll(
            String project, String server, long registration, Cancellation within);

    CompletableFuture<Void> report(String project, String server, Report report);
}
