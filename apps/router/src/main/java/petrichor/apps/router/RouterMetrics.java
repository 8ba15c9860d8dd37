package petrichor.apps.router;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counters of a router. Thread-safe. */
public final class RouterMetrics {
    private static final int STATUS_CLASSES = 6;

    private final LongAdder[] byStatusClass = new LongAdder[STATUS_CLASSES];
    private final LongAdder retries = new LongAdder();
    private final LongAdder refusedByAdmission = new LongAdder();
    private final LongAdder refusedConnections = new LongAdder();
    private final LongAdder aborted = new LongAdder();
    private final AtomicInteger connections = new AtomicInteger();

    RouterMetrics() {
        for (int i = 0; i < STATUS_CLASSES; i++) {
            byStatusClass[i] = new LongAdder();
        }
    }

    /**
     * Requests with a response.
     *
     * @param statusClass 1 to 5; 0 for requests without a response
     */
    public long requests(int statusClass) {
        return byStatusClass[statusClass].sum();
    }

    /** Attempts after the first one. */
    public long retries() {
        return retries.sum();
    }

    /** Requests that were refused because their app or the router had too many. */
    public long refusedByAdmission() {
        return refusedByAdmission.sum();
    }

    /** Connections over the limit. */
    public long refusedConnections() {
        return refusedConnections.sum();
    }

    /** Responses that ended early. */
    public long aborted() {
        return aborted.sum();
    }

    /** Open connections of clients. */
    public int connections() {
        return connections.get();
    }

    void ended(int status) {
        int statusClass = status / 100;
        byStatusClass[statusClass > 0 && statusClass < STATUS_CLASSES ? statusClass : 0]
                .increment();
    }

    void retried() {
        retries.increment();
    }

    void refusedByLimit() {
        refusedByAdmission.increment();
    }

    void refusedConnection() {
        refusedConnections.increment();
    }

    void cutOff() {
        aborted.increment();
    }

    int connected() {
        return connections.incrementAndGet();
    }

    void disconnected() {
        connections.decrementAndGet();
    }
}
