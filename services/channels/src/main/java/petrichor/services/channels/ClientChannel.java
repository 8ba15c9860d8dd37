package petrichor.services.channels;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The channel of one client at the owner: its undelivered messages, and its connection. Not
 * thread-safe: {@link ProjectChannels} guards it.
 */
final class ClientChannel {
    /** Messages on their way to a connection. */
    static final int IN_FLIGHT_MAX = 32;

    private final String clientId;
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private final Deque<InFlight> inFlight = new ArrayDeque<>();
    private long queuedBytes;
    private long inFlightBytes;
    private long lastSequence;
    private boolean restarted;
    private @Nullable Connected connected;
    private long expiresMicros;

    /** The state of the client, and what was reported to the app. */
    private final Reported presence = new Reported();

    private record InFlight(long sequence, byte[] message) {}

    /** The current connection, at a server. */
    record Connected(String connection, ConnectedServer server) {}

    /** The presence of the client, and the reports about it. */
    static final class Reported {
        /** As the app should see it. */
        private boolean present;

        /** As the last report said. */
        private boolean reported;

        private boolean reporting;

        /** When the connection broke, by the monotonic clock; null if it did not. */
        private @Nullable Long brokenNanos;

        boolean present() {
            return present;
        }

        /** A report is under way or due. */
        boolean unsettled() {
            return reporting || present != reported;
        }

        void arrives() {
            present = true;
            brokenNanos = null;
        }

        /** Another owner has reported it to the app. */
        void arrivedBefore() {
            if (!reporting) {
                reported = true;
            }
            arrives();
        }

        void leaves() {
            present = false;
            brokenNanos = null;
        }

        void breaks(long nowNanos) {
            if (present) {
                brokenNanos = nowNanos;
            }
        }

        /** Whether the connection broke and the client did not come back in time. */
        boolean overdue(long nowNanos) {
            Long broken = brokenNanos;
            return broken != null && nowNanos - broken >= ChannelLimits.RECONNECT.toNanos();
        }

        /** Whether a report should be sent now; the caller then sends {@link #present}. */
        boolean beginReport() {
            boolean due = !reporting && present != reported;
            reporting |= due;
            return due;
        }

        void endReport(boolean state) {
            reported = state;
            reporting = false;
        }
    }

    ClientChannel(String clientId, long expiresMicros) {
        this.clientId = clientId;
        this.expiresMicros = expiresMicros;
    }

    String clientId() {
        return clientId;
    }

    Reported presence() {
        return presence;
    }

    @Nullable Connected connected() {
        return connected;
    }

    void extend(long untilMicros) {
        expiresMicros = Math.max(expiresMicros, untilMicros);
    }

    boolean expired(long nowMicros) {
        return nowMicros >= expiresMicros;
    }

    /** Whether its token has expired and nothing of it is under way. */
    boolean isOver(long nowMicros) {
        return expired(nowMicros)
                && connected == null
                && !presence.present()
                && !presence.unsettled();
    }

    int queued() {
        return waiting.size() + inFlight.size();
    }

    static long cost(byte[] message) {
        return message.length + (long) ChannelLimits.MESSAGE_OVERHEAD_BYTES;
    }

    /** Memory of the undelivered messages. */
    long memory() {
        return queuedBytes + (long) queued() * ChannelLimits.MESSAGE_OVERHEAD_BYTES;
    }

    boolean canHold(int bytes) {
        return queued() < ChannelLimits.QUEUED_MAX
                && queuedBytes + bytes <= ChannelLimits.QUEUED_BYTES_MAX;
    }

    /** Discards the oldest message that is not on its way; null if there is none. */
    byte @Nullable [] discardOldest() {
        byte[] oldest = waiting.poll();
        if (oldest != null) {
            queuedBytes -= oldest.length;
        }
        return oldest;
    }

    void add(byte[] message) {
        waiting.add(message);
        queuedBytes += message.length;
    }

    /** The messages on their way are sent again over the new connection. */
    void connect(Connected to) {
        sendAgainAfter(0);
        connected = to;
    }

    void disconnect() {
        sendAgainAfter(0);
        connected = null;
    }

    /** Whether a message can be sent now. */
    boolean ready() {
        byte[] next = waiting.peek();
        return connected != null
                && next != null
                && (inFlight.isEmpty()
                        || (inFlight.size() < IN_FLIGHT_MAX
                                && inFlightBytes + next.length
                                        <= ChannelLimits.IN_FLIGHT_BYTES_MAX));
    }

    /** The size of the next message; only if the channel is ready. */
    int nextBytes() {
        return waiting.element().length;
    }

    /**
     * Takes the next message on its way; only if the channel is ready. A message that is sent again
     * gets a new sequence, so that a late receipt cannot confirm it.
     */
    ChannelOwner.Delivery send(String connection) {
        byte[] message = waiting.remove();
        lastSequence++;
        inFlight.add(new InFlight(lastSequence, message));
        inFlightBytes += message.length;
        boolean first = restarted;
        restarted = false;
        return new ChannelOwner.Delivery(connection, lastSequence, first, message);
    }

    /** Removes a message that has been written, up to the sequence; null if there is none left. */
    byte @Nullable [] written(long sequence) {
        InFlight first = inFlight.peek();
        if (first == null || first.sequence() > sequence) {
            return null;
        }
        inFlight.remove();
        inFlightBytes -= first.message().length;
        queuedBytes -= first.message().length;
        return first.message();
    }

    void sendAgainAfter(long sequence) {
        restarted = true;
        InFlight last = inFlight.peekLast();
        while (last != null && last.sequence() > sequence) {
            inFlight.removeLast();
            inFlightBytes -= last.message().length;
            waiting.addFirst(last.message());
            last = inFlight.peekLast();
        }
    }
}
