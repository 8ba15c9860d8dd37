package petrichor.cluster;

import java.time.Duration;
import petrichor.rpc.PeerAuthentication;
import petrichor.rpc.RpcSettings;

/**
 * @param lease how long a server that is silent keeps its databases
 * @param rebalance hands databases over to servers that join
 * @param authentication how servers authenticate each other
 * @param executionTimeout a forwarded call is aborted after this
 */
public record ClusterSettings(
        Duration lease,
        boolean rebalance,
        PeerAuthentication authentication,
        Duration executionTimeout) {
    public static final Duration LEASE_MIN = Duration.ofMillis(200);

    /** Beyond a lease: finding out, taking over, and recovering a database. */
    private static final Duration TAKEOVER_MAX = Duration.ofSeconds(3);

    /** A request looks for an owner for as long as a fail-over may take. */
    RpcSettings rpc() {
        return new RpcSettings(authentication, lease.plus(TAKEOVER_MAX), executionTimeout);
    }
}
