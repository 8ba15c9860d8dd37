package petrichor.cluster;

import java.time.Duration;
import petrichor.rpc.PeerAuthentication;
import petrichor.rpc.RpcSettings;

/**
 * Settings of a cluster.
 *
 * @param lease how long a server keeps its databases without a heartbeat
 * @param rebalance whether to hand databases over to servers that join
 * @param authentication of servers among each other
 * @param executionTimeout a forwarded call is aborted after this
 */
public record ClusterSettings(
        Duration lease,
        boolean rebalance,
        PeerAuthentication authentication,
        Duration executionTimeout) {
    public static final Duration LEASE_MIN = Duration.ofMillis(200);

    /** In addition to a lease: time to detect the failure, take over, and recover a database. */
    private static final Duration TAKEOVER_MAX = Duration.ofSeconds(3);

    /** A request looks for an owner for as long as a failover may take. */
    RpcSettings rpc() {
        return new RpcSettings(authentication, lease.plus(TAKEOVER_MAX), executionTimeout);
    }
}
