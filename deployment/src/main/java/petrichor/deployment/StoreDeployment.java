package petrichor.deployment;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Describes how the servers of one datastore are run; {@link petrichor.deployment} carries it out,
 * on any host. Found by {@link java.util.ServiceLoader} on the plugin's class path.
 *
 * <p>The order is: supplies are fetched; then for each node in turn its files are written, its
 * preparation is run (only into an empty folder), its process is started, and {@link #serves} is
 * polled until true; at the end {@link #whenAllServe} is called once.
 */
public interface StoreDeployment {
    /** As typed by users: {@code cassandra}. */
    String store();

    /** The pinned version. */
    String version();

    /** 1 if it only supports a single node. */
    int nodesMax();

    /** Required on a host before a node can be prepared. */
    List<Dependency> supplies();

    /** The ports on which a node listens, by name, with their default numbers. */
    Map<String, Integer> ports();

    /** The files and commands of one node. */
    NodeRecipe recipe(Cluster cluster, Node node);

    /**
     * Whether the node responds to requests now, tested like a client would. Quick (a few seconds
     * at most) and without exceptions; false while it does not.
     */
    boolean serves(Cluster cluster, Node node);

    /** Final setup when all nodes serve: creates a user, a keyspace. Must be idempotent. */
    default void whenAllServe(Cluster cluster) {}

    /** Maximum time until a node {@link #serves}, on a busy machine. */
    default Duration startTimeMax() {
        return Duration.ofMinutes(3);
    }

    /**
     * The signal that asks the server to end; with the default one, some servers wait for clients.
     */
    default String stopSignal() {
        return "TERM";
    }

    /** How long it may take to end; afterwards it is killed. */
    default Duration stopTimeMax() {
        return Duration.ofSeconds(30);
    }

    /** The address to write into the {@link #setting}. */
    String url(Cluster cluster);

    /** The configuration key for the address. */
    default String setting() {
        return "store.url";
    }
}
