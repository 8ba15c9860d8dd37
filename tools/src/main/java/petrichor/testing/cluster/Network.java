package petrichor.testing.cluster;

import java.util.List;
import petrichor.deployment.Host;

/** The network between the processes of a laboratory; each process has its own host. */
interface Network extends AutoCloseable {
    /** Matches any host. */
    String ANYBODY = "*";

    /** Adds a host and returns its address. */
    String host(String name);

    /** Wraps a command so that it runs on that host. */
    List<String> on(String name, List<String> command);

    /** The host as a deployment target for datastore servers. */
    Host asHost(String name);

    /**
     * The address by which one host connects to a listener on another.
     *
     * @param from a host, or {@link #ANYBODY} if all use the same address
     * @param address host and port of the listener
     */
    String route(String from, String to, String address);

    /**
     * Whether links between servers and a store can be cut. Links to coordination and between
     * servers always can.
     *
     * @param scheme of the store's URL
     */
    boolean cutsFromStore(String scheme);

    /** Whether links between the nodes of a store can be cut. */
    boolean cutsWithinStore();

    /**
     * Drops all packets between the two hosts, in both directions, from now on. No connection is
     * closed.
     */
    void cut(String one, String other);

    /** Restores all links. */
    void heal();

    @Override
    void close();
}
