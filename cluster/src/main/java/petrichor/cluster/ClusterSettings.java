package petrichor.cluster;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * @param lease how long a server that is silent keeps its databases
 * @param rebalance hands databases over to servers that join
 * @param token with which servers authenticate each other; null if any client that reaches them is
 *     trusted
 */
public record ClusterSettings(Duration lease, boolean rebalance, @Nullable String token) {
    public static final Duration LEASE_MIN = Duration.ofMillis(200);

    /** Beyond a lease: finding out, taking over, and recovering a database. */
    private static final Duration TAKEOVER_MAX = Duration.ofSeconds(3);

    /** How long a request looks for an owner before it is refused. */
    Duration forwardTimeout() {
        return lease.plus(TAKEOVER_MAX);
    }
}
