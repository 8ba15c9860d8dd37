package petrichor.frontends.datastore;

import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;

/**
 * One connection's share of the {@link RequestBudget}: a client that sends slowly or does not read
 * its responses holds at most this much of the buffers that all connections share. Safe for any
 * thread.
 *
 * @param requests bytes of requests that are being received or carried out
 * @param responses bytes of responses that the client has not taken yet
 */
record ConnectionBudget(MemoryBudget requests, MemoryBudget responses) {
    /** Of what all connections have together. */
    private static final int PERCENT = 25;

    /** The same for what another server forwards, which many clients have sent. */
    private static final int PEER_PERCENT = 75;

    /** Datastore's own limit of a request, and some overhead. */
    private static final long REQUESTS_BYTES_MIN = 12 << 20;

    /** Two responses of the largest size that lookups and queries have. */
    private static final long RESPONSES_BYTES_MIN = 8 << 20;

    private static final int HUNDRED = 100;

    static ConnectionBudget of(long requestsBytesMax, long responsesBytesMax) {
        return new ConnectionBudget(
                share("connection-requests", requestsBytesMax, PERCENT, REQUESTS_BYTES_MIN),
                share("connection-responses", responsesBytesMax, PERCENT, RESPONSES_BYTES_MIN));
    }

    /** For the calls that another server forwards on one connection. */
    static ConnectionBudget ofPeer(long requestsBytesMax, long responsesBytesMax) {
        return new ConnectionBudget(
                share("peer-requests", requestsBytesMax, PEER_PERCENT, REQUESTS_BYTES_MIN),
                share("peer-responses", responsesBytesMax, PEER_PERCENT, RESPONSES_BYTES_MIN));
    }

    private static MemoryBudget share(String name, long bytesMax, int percent, long bytesMin) {
        return MemoryBudget.of(name, Math.max(bytesMax / HUNDRED * percent, bytesMin));
    }

    /** Why a request was refused that had {@code held} bytes here when {@code more} came. */
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

    /** Bytes of a response, until it is closed; UNAVAILABLE if the client has to read first. */
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
