package petrichor.frontends.datastore;

import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;

/**
 * The front end's part of the process's {@link MemoryBudget}: requests that are being received,
 * wait or are carried out, parsed as well as encoded, and responses until the client has taken
 * them. What small requests need comes from a share of its own, so that a few large ones never keep
 * them out. Safe for any thread.
 */
final class RequestBudget {
    /** Of a body that is being received: so much comes from the share of small requests. */
    static final int SMALL_BODY_BYTES = 16 << 10;

    /** A parsed request of at most this size comes from the share of small requests. */
    static final int SMALL_PARSED_BYTES = 64 << 10;

    /** Of all bodies, for one connection. */
    private static final int CONNECTION_PERCENT = 25;

    /** Never less for one connection: Datastore's own limit of a request, and some overhead. */
    private static final long CONNECTION_BYTES_MIN = 12 << 20;

    private static final int SMALL_PERCENT = 10;
    private static final int LARGE_PERCENT = 30;
    private static final int RESPONSES_PERCENT = 15;
    private static final int PERCENT = 100;

    /** Encoded bodies: limits.buffered-bytes-max. */
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

    /** Of requests, encoded. */
    long bytes() {
        return bodies.bytesUsed();
    }

    /** Limits what all requests of one connection hold while they are received. */
    MemoryBudget connection() {
        long fair = Math.min(bodies.bytesMax(), large.bytesMax()) / PERCENT * CONNECTION_PERCENT;
        return MemoryBudget.of("connection", Math.max(fair, CONNECTION_BYTES_MIN));
    }

    Share share() {
        return new Share(null);
    }

    /**
     * @param connection that the request comes on
     */
    Share share(MemoryBudget connection) {
        return new Share(connection);
    }

    /** Bytes of a response, until it is closed; UNAVAILABLE if there is no room for it. */
    MemoryBudget.Reservation response(int bytes) {
        MemoryBudget.Reservation held = responses.reservation();
        if (!held.add(bytes)) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    "too many bytes of responses wait for slow clients (server.memory-percent);"
                            + " retry later");
        }
        return held;
    }

    /**
     * Memory of a parsed request until it is closed. UNAVAILABLE if there is none now,
     * RESOURCE_EXHAUSTED if this server never has so much.
     */
    MemoryBudget.Reservation parsed(long memory) {
        if (memory > large.bytesMax()) {
            throw new PetrichorException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the request needs about "
                            + (memory >> 20)
                            + " MiB of memory, but this server has "
                            + (large.bytesMax() >> 20)
                            + " MiB for requests; split it, or raise the heap or"
                            + " server.memory-percent");
        }
        MemoryBudget.Reservation held =
                (memory <= SMALL_PARSED_BYTES ? small : large).reservation();
        if (!held.add(memory)) {
            throw exhausted();
        }
        return held;
    }

    static PetrichorException exhausted() {
        return new PetrichorException(
                ErrorCode.UNAVAILABLE,
                "too many bytes of requests are in memory (limits.buffered-bytes-max,"
                        + " server.memory-percent); nothing was done, retry later");
    }

    /** What one request holds while it is received and answered. */
    final class Share implements AutoCloseable {
        private @Nullable MemoryBudget connection;
        private long heldSmall;
        private long heldLarge;
        private boolean closed;

        private Share(@Nullable MemoryBudget connection) {
            this.connection = connection;
        }

        /** The connection became known; only before anything is charged. */
        synchronized void on(MemoryBudget known) {
            if (heldSmall + heldLarge == 0) {
                connection = known;
            }
        }

        /** False, and nothing is charged, when the budget has no more. */
        synchronized boolean charge(int more) {
            if (closed) {
                return false;
            }
            long fromSmall = Math.min(more, Math.max(0, SMALL_BODY_BYTES - heldSmall));
            long fromLarge = more - fromSmall;
            if (!bodies.tryReserve(more)) {
                return false;
            }
            if (connection != null && !connection.tryReserve(more)) {
                bodies.release(more);
                return false;
            }
            if (!small.tryReserve(fromSmall)) {
                releaseBody(more);
                return false;
            }
            if (!large.tryReserve(fromLarge)) {
                small.release(fromSmall);
                releaseBody(more);
                return false;
            }
            heldSmall += fromSmall;
            heldLarge += fromLarge;
            return true;
        }

        private void releaseBody(long bytes) {
            bodies.release(bytes);
            if (connection != null) {
                connection.release(bytes);
            }
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
