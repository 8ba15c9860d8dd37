package petrichor.deployment;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * How the servers of one datastore are run. Describes only; {@link petrichor.deployment} carries it
 * out, on any host. Found by {@link java.util.ServiceLoader} on the plugin's class path.
 *
 * <p>The order is: supplies are fetched, then for each node in turn its files are written, its
 * preparation is run (only into an empty folder), its process is started and waited for until
 * {@link #serves}; at the end {@link #whenAllServe} is called once.
 */
public interface StoreDeployment {
    /** As people type it: {@code cassandra}. */
    String store();

    /** The version that is pinned. */
    String version();

    /** 1 if it only runs as a single node. */
    int nodesMax();

    /** What must be on a host before a node can be prepared. */
    List<Supply> supplies();

    /** The ports that a node listens on, by name, with the numbers that people expect. */
    Map<String, Integer> ports();

    /** Everything that makes up one node. */
    NodeRecipe recipe(Cluster cluster, Node node);

    /**
     * Whether the node answers requests now, found out by asking it as a client would. Quick (a few
     * seconds at most) and without exceptions; false as long as it does not.
     */
    boolean serves(Cluster cluster, Node node);

    /** What is left to do when all nodes serve: make a user, a keyspace. May be done twice. */
    default void whenAllServe(Cluster cluster) {}

    /** How long a node may take until it {@link #serves}, on a machine that is busy. */
    default Duration startTimeMax() {
        return Duration.ofMinutes(3);
    }

    /** What asks the server to end; the usual one waits for clients in some of them. */
    default String stopSignal() {
        return "TERM";
    }

    /** How long it may take to end then; afterwards it is killed. */
    default Duration stopTimeMax() {
        return Duration.ofSeconds(30);
    }

    /** The address to write into the {@link #setting}. */
    String url(Cluster cluster);

    /** The key of the configuration that the address is for. */
    default String setting() {
        return "store.url";
    }
}
