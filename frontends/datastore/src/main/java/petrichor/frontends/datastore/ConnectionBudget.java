package petrichor.frontends.datastore;

import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;

/**
 * One connection's share of the {@link RequestBudget}. It limits the shared buffers that a client
 * can occupy by sending slowly or by not reading its responses. Thread-safe.
 *
 * @param requests bytes of requests that are being received or executed
 * @param responses bytes of responses that the client has not read yet
 */
record ConnectionBudget(MemoryBudget requests, MemoryBudget responses) {
    /** Share of the limit over all connections. */
    private static final int PERCENT = 25;

    /** Share for a connection of another server, which forwards requests of many clients. */
    private static final int PEER_PERCENT = 75;

    /** Datastore's limit for one request, plus overhead. */
    private static final long REQUESTS_BYTES_MIN = 12 << 20;

    /** Two of the largest responses of lookups and queries. */
    private static final long RESPONSES_BYTES_MIN = 8 << 20;

    private static final int HUNDRED = 100;

    static ConnectionBudget of(long requestsBytesMax, long responsesBytesMax) {
        return new ConnectionBudget(
                share("connection-requests", requestsBytesMax, PERCENT, REQUESTS_BYTES_MIN),
                share("connection-responses", responsesBytesMax, PERCENT, RESPONSES_BYTES_MIN));
    }

    /** The share of a connection on which another server forwards calls. */
    static ConnectionBudget ofPeer(long requestsBytesMax, long responsesBytesMax) {
        return new ConnectionBudget(
                share("peer-requests", requestsBytesMax, PEER_PERCENT, REQUESTS_BYTES_MIN),
                share("peer-responses", responsesBytesMax, PEER_PERCENT, RESPONSES_BYTES_MIN));
    }

    private static MemoryBudget share(String name, long bytesMax, int percent, long bytesMin) {
        return MemoryBudget.of(name, Math.max(bytesMax / HUNDRED * percent, bytesMin));
    }

    /**
     * Describes why a request with {@code held} bytes was refused when {@code more} bytes arrived.
     */
    PetrichorException refusal(long held, long more) {
        if (held + more > requests.bytesMax()) {
            return PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the request is larger than {bytesMax} MiB, the share of one connection in the"
                        + " memory for requests; split it, or raise limits.buffered-bytes-max or"
                        + " the heap",
                    "bytesMax",
                    requests.bytesMax() >> 20);
        }
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "the requests on this connection take more than {bytesMax} MiB, its share of the"
                        + " memory for requests; nothing was done. Send fewer at once, or use more"
                        + " connections",
                "bytesMax",
                requests.bytesMax() >> 20);
    }

    /**
     * Reserves memory for a response until it is closed. UNAVAILABLE if the client must read
     * earlier responses first.
     */
    MemoryBudget.Reservation response(int bytes) {
        MemoryBudget.Reservation held = responses.reservation();
        if (!held.add(bytes)) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "the client has not read {bytesUsed} MiB of earlier responses on this"
                        + " connection, whose share is {bytesMax} MiB; read them first, or use more"
                        + " connections",
                    "bytesUsed",
                    responses.bytesUsed() >> 20,
                    "bytesMax",
                    responses.bytesMax() >> 20);
        }
        return held;
    }
}
