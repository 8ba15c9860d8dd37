package petrichor.frontends.datastore;

import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;

/**
 * The front end's share of the process's {@link MemoryBudget}: requests while they are received,
 * queued or executed, both encoded and parsed, and responses until the client has read them. Small
 * requests have a reserved share, so that large ones cannot starve them. Thread-safe.
 */
final class RequestBudget {
    /** Part of each body that is charged to the share of small requests. */
    static final int SMALL_BODY_BYTES = 16 << 10;

    /** Parsed requests up to this size are charged to the share of small requests. */
    static final int SMALL_PARSED_BYTES = 64 << 10;

    private static final int SMALL_PERCENT = 10;
    private static final int LARGE_PERCENT = 30;
    private static final int RESPONSES_PERCENT = 15;

    /** Encoded bodies; limits.buffered-bytes-max. */
    private final MemoryBudget bodies;

    private final MemoryBudget small;
    private final MemoryBudget large;
    private final MemoryBudget responses;

    RequestBudget(MemoryBudget process, long bufferedBytesMax) {
        this.bodies = MemoryBudget.of("bodies", bufferedBytesMax);
        this.small = process.sharePercent("requests-small", SMALL_PERCENT);
        this.large = process.sharePercent("requests-large", LARGE_PERCENT);
        this.responses = process.sharePercent("responses", RESPONSES_PERCENT);
    }

    /** Bytes of encoded requests. */
    long bytes() {
        return bodies.bytesUsed();
    }

    /** The share of a newly accepted connection. */
    ConnectionBudget connection() {
        return ConnectionBudget.of(
                Math.min(bodies.bytesMax(), large.bytesMax()), responses.bytesMax());
    }

    /** The share of the large calls that another server forwards on one connection. */
    ConnectionBudget peer() {
        return ConnectionBudget.ofPeer(
                Math.min(bodies.bytesMax(), large.bytesMax()), responses.bytesMax());
    }

    /** The share of a request whose connection is not known yet. */
    Share share() {
        return new Share(null);
    }

    /**
     * @param connection on which the request arrives
     */
    Share share(ConnectionBudget connection) {
        return new Share(connection);
    }

    /**
     * Reserves memory for a response until it is closed; UNAVAILABLE if it does not fit into the
     * budget.
     */
    MemoryBudget.Reservation response(int bytes) {
        MemoryBudget.Reservation held = responses.reservation();
        if (!held.add(bytes)) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "too many bytes of responses wait for slow clients (server.memory-percent);"
                            + " retry later");
        }
        return held;
    }

    /**
     * Reserves memory for a parsed request until it is closed. UNAVAILABLE if it does not fit now,
     * RESOURCE_EXHAUSTED if it exceeds the total budget.
     */
    MemoryBudget.Reservation parsed(long memory) {
        if (memory > large.bytesMax()) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the request needs about {memory} MiB of memory, but this server has {bytesMax}"
                        + " MiB for requests; split it, or raise the heap or server.memory-percent",
                    "memory",
                    memory >> 20,
                    "bytesMax",
                    large.bytesMax() >> 20);
        }
        MemoryBudget.Reservation held =
                (memory <= SMALL_PARSED_BYTES ? small : large).reservation();
        if (!held.add(memory)) {
            throw exhausted();
        }
        return held;
    }

    static PetrichorException exhausted() {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "too many bytes of requests are in memory (limits.buffered-bytes-max,"
                        + " server.memory-percent); nothing was done, retry later");
    }

    /** The memory held by one request while it is received and executed. */
    final class Share implements AutoCloseable {
        private @Nullable ConnectionBudget connection;
        private long heldSmall;
        private long heldLarge;
        private boolean closed;

        private Share(@Nullable ConnectionBudget connection) {
            this.connection = connection;
        }

        /** Sets the connection; only before anything is charged. */
        synchronized void on(ConnectionBudget known) {
            if (heldSmall + heldLarge == 0) {
                connection = known;
            }
        }

        /**
         * Charges bytes. Returns null on success; otherwise nothing was charged, and the result is
         * the reason.
         */
        synchronized @Nullable PetrichorException charge(int more) {
            if (closed) {
                return exhausted();
            }
            long fromSmall = Math.min(more, Math.max(0, SMALL_BODY_BYTES - heldSmall));
            long fromLarge = more - fromSmall;
            if (connection != null && !connection.requests().tryReserve(more)) {
                return connection.refusal(heldSmall + heldLarge, more);
            }
            if (!bodies.tryReserve(more)) {
                releaseConnection(more);
                return exhausted();
            }
            if (!small.tryReserve(fromSmall)) {
                releaseBody(more);
                return exhausted();
            }
            if (!large.tryReserve(fromLarge)) {
                small.release(fromSmall);
                releaseBody(more);
                return exhausted();
            }
            heldSmall += fromSmall;
            heldLarge += fromLarge;
            return null;
        }

        private void releaseConnection(long bytes) {
            if (connection != null) {
                connection.requests().release(bytes);
            }
        }

        private void releaseBody(long bytes) {
            bodies.release(bytes);
            releaseConnection(bytes);
        }

        synchronized void giveBack() {
            releaseBody(heldSmall + heldLarge);
            small.release(heldSmall);
            large.release(heldLarge);
            heldSmall = 0;
            heldLarge = 0;
        }

        @Override
        public synchronized void close() {
            closed = true;
            giveBack();
        }
    }
}
