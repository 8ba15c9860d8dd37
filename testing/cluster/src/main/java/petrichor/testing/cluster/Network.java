package petrichor.testing.cluster;

import java.util.List;
import petrichor.kv.deployment.Host;

/** The network between the processes of a laboratory, each of which is a host of its own. */
interface Network extends AutoCloseable {
    /** Any host. */
    String ANYBODY = "*";

    /** Adds a host, and returns its address. */
    String host(String name);

    /** The command, as it is to be started so that it runs on that host. */
    List<String> on(String name, List<String> command);

    /** The host, as the servers of datastores are laid out on it. */
    Host asHost(String name);

    /**
     * The address by which one host reaches what listens at an address on another.
     *
     * @param from a host, or {@link #ANYBODY} if all use the same address
     * @param address host and port
     */
    String route(String from, String to, String address);

    /**
     * Whether cables between servers and a store can be cut. Those to coordination and between
     * servers always can.
     *
     * @param scheme of the store's URL
     */
    boolean cutsFromStore(String scheme);

    /** Whether cables among the nodes of a store can be cut. */
    boolean cutsWithinStore();

    /**
     * From now on no packet passes between the two, in either direction; no connection is closed.
     */
    void cut(String one, String other);

    /** Undoes all cuts. */
    void heal();

    @Override
    void close();
}
