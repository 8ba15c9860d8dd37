package petrichor.server.data;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.cluster.ClusterNode;
import petrichor.cluster.ClusterSettings;
import petrichor.cluster.SharedStore;
import petrichor.coordination.Coordination;
import petrichor.coordination.zookeeper.ZooKeeperLedger;
import petrichor.kv.StoreTls;
import petrichor.kv.StoreUrl;
import petrichor.rpc.PeerAuthentication;
import petrichor.rpc.PeerCertificates;
import petrichor.server.config.ListenAddress;
import petrichor.server.config.ServerConfig;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.databases.StoreLease;

/**
 * Creates a cluster member from the configuration. Refuses configurations with which the servers
 * could not work together.
 */
public final class ClusterStart {
    private static final String SCHEME = "zookeeper";
    private static final int ZOOKEEPER_PORT = 2181;
    private static final String STANDARD_ROOT = "petrichor";

    private ClusterStart() {}

    /** Connects to the coordination service; empty for a standalone server. */
    public static Optional<Coordination> coordination(ServerConfig config) {
        return config.cluster()
                .coordination()
                .map(
                        url -> {
                            require(config, url);
                            return new Coordination(
                                    ledger(url, config.cluster().lease()), TimeSource.SYSTEM);
                        });
    }

    private static ZooKeeperLedger ledger(StoreUrl url, Duration lease) {
        String servers =
                url.nodes().stream()
                        .map(node -> node.host() + ":" + node.portOr(ZOOKEEPER_PORT))
                        .collect(Collectors.joining(","));
        return ZooKeeperLedger.open(
                servers,
                url.name().isEmpty() ? STANDARD_ROOT : url.name(),
                lease,
                url.user().map(user -> user + ":" + url.password().orElse("")),
                StoreTls.of(url));
    }

    /**
     * FAILED_PRECONDITION or INVALID_ARGUMENT if servers with this configuration could not work
     * together.
     */
    public static void require(ServerConfig config, StoreUrl url) {
        if (!url.scheme().equals(SCHEME)) {
            throw PetrichorException.invalid(
                    "cluster.coordination must start with zookeeper://, not {scheme}://",
                    "scheme",
                    url.scheme());
        }
        url.requireOptions(StoreTls.optionsAnd(Set.of()));
        if (config.store().url().isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "cluster.coordination is set, but the embedded store serves one process only:"
                            + " set store.url to a datastore that all servers share");
        }
        if (config.tls().isPresent() && config.cluster().certificates().isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "a cluster whose clients use TLS needs TLS between its servers: set"
                            + " cluster.certificate, cluster.key and cluster.authority, which"
                            + " `petrichor cluster certificates` creates");
        }
        if (config.cluster().token().isPresent() || config.cluster().certificates().isPresent()) {
            return;
        }
        if (config.auth().required()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "a cluster whose clients need a token needs a cluster.token, the same on all"
                            + " servers, or cluster.certificate");
        }
        if (!ListenAddress.of(config).stream().allMatch(InetAddress::isLoopbackAddress)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "a cluster whose servers listen on other addresses than loopback needs a"
                            + " cluster.token, the same on all servers, or cluster.certificate");
        }
    }

    static ClusterNode node(
            Coordination coordination,
            ServerConfig config,
            RowDatabases databases,
            StoreLease store) {
        return new ClusterNode(
                coordination,
                new ClusterSettings(
                        config.cluster().lease(),
                        config.cluster().rebalance(),
                        new PeerAuthentication(
                                config.cluster().token(),
                                config.cluster().certificates().map(PeerCertificates::read)),
                        config.limits().executionWithin()),
                new SharedStore(databases.storedRows(), databases, store::valid),
                TimeSource.SYSTEM);
    }

    /** The address at which other servers reach a server that listens on this port. */
    public static String address(ServerConfig config, int port) {
        return config.cluster()
                .address()
                .orElseGet(
                        () -> {
                            List<InetAddress> hosts = ListenAddress.of(config);
                            InetAddress first = hosts.getFirst();
                            if (first.isAnyLocalAddress()) {
                                throw PetrichorException.of(
                                        ErrorCode.FAILED_PRECONDITION,
                                        "server.host is {host}, to which other servers cannot"
                                            + " connect: set cluster.address to HOST:PORT of this"
                                            + " server",
                                        "host",
                                        config.server().host());
                            }
                            String host = first.getHostAddress();
                            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
                        });
    }
}
