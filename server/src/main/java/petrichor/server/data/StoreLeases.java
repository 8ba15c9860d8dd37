package petrichor.server.data;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.Coordination;
import petrichor.coordination.Value;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.server.config.ServerConfig;
import petrichor.transactions.databases.ClaimContext;
import petrichor.transactions.databases.StoreIdentity;
import petrichor.transactions.databases.StoreLease;

/**
 * Leases on stores that other processes can reach, under the identity given by the configuration.
 * Embedded and in-memory stores need no lease, because only one process can use them.
 */
public final class StoreLeases {
    private static final Logger LOG = LoggerFactory.getLogger(StoreLeases.class);

    /** Entry in the coordination service with the id that identifies the cluster in its stores. */
    private static final String CLUSTER_ID = "cluster-id";

    private static final int ID_BYTES = 16;
    private static final int ATTEMPTS_MAX = 20;

    private StoreLeases() {}

    /** Empty for a store that only this process can reach. */
    static Optional<StoreLease> of(
            KeyValueStore store, Optional<Coordination> coordination, ServerConfig config) {
        if (coordination.isEmpty() && config.store().url().isEmpty()) {
            return Optional.empty();
        }
        StoreUrl address = config.cluster().coordination().orElse(null);
        return Optional.of(
                StoreLease.open(
                        store,
                        coordination
                                .map(with -> cluster(with, String.valueOf(address)))
                                .orElse(StoreIdentity.STANDALONE),
                        name(config),
                        LocalProcess.self(),
                        config.store().lease(),
                        surroundings()));
    }

    /**
     * Assigns the configured store to the configured cluster, or to a standalone server.
     * FAILED_PRECONDITION while a server uses it.
     */
    public static Adoption adopt(ServerConfig config) {
        if (config.store().url().isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the embedded store cannot be adopted: it belongs to the process that opens it;"
                            + " name a datastore with --store-url or store.url");
        }
        Optional<Coordination> coordination = ClusterStart.coordination(config);
        try (KeyValueStore store = StorePlugins.installed().open(config.store().url().get())) {
            StoreIdentity identity =
                    coordination
                            .map(
                                    with ->
                                            cluster(
                                                    with,
                                                    config.cluster()
                                                            .coordination()
                                                            .orElseThrow()
                                                            .toString()))
                            .orElse(StoreIdentity.STANDALONE);
            return new Adoption(
                    config.store().url().get().toString(),
                    StoreLease.adopt(store, identity, "petrichor store adopt", surroundings())
                            .map(StoreIdentity::description),
                    identity.description());
        } finally {
            coordination.ifPresent(Coordination::close);
        }
    }

    /**
     * @param store its address, without secrets
     * @param before the previous owner; empty if there was none
     */
    public record Adoption(String store, Optional<String> before, String now) {}

    /** The coordination address of the cluster that the store belongs to; empty if it has none. */
    public static Optional<String> clusterOf(String url) {
        try (KeyValueStore store = StorePlugins.installed().open(StoreUrl.parse(url))) {
            return StoreLease.identityOf(store)
                    .filter(identity -> !identity.exclusive())
                    .map(StoreIdentity::address);
        }
    }

    private static ClaimContext surroundings() {
        return ClaimContext.system(LocalProcess::hasEnded, LOG::warn);
    }

    /** The id of this cluster; empty if no server of it was ever started. */
    public static String clusterId(Coordination coordination) {
        return new String(coordination.value(CLUSTER_ID).bytes(), StandardCharsets.US_ASCII);
    }

    private static StoreIdentity cluster(Coordination coordination, String address) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            Value present = coordination.value(CLUSTER_ID);
            if (present.version() > 0) {
                return StoreIdentity.cluster(
                        new String(present.bytes(), StandardCharsets.US_ASCII), address);
            }
            byte[] id = new byte[ID_BYTES];
            new SecureRandom().nextBytes(id);
            boolean _ =
                    coordination.store(
                            CLUSTER_ID,
                            HexFormat.of().formatHex(id).getBytes(StandardCharsets.US_ASCII),
                            0);
        }
        throw PetrichorException.of(
                ErrorCode.UNAVAILABLE, "ZooKeeper did not store the id of this cluster; retry");
    }

    private static String name(ServerConfig config) {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException unnamed) {
            host = config.server().host();
        }
        return "process "
                + ProcessHandle.current().pid()
                + " on "
                + host
                + (config.server().port() == 0 ? "" : ", port " + config.server().port());
    }
}
