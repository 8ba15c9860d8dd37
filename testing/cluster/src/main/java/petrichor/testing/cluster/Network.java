package petrichor.testing.cluster;

import java.util.List;
import petrichor.kv.deployment.Host;

/** The network between the processes of a laboratory, each of which is a host of its own. */
interface Network extends AutoCloseable {
    /** Adds a host, and returns its address. */
    String host(String name);

    /** The command, as it is to be started so that it runs on that host. */
    List<String> on(String name, List<String> command);

    /** The host, as the servers of datastores are laid out on it. */
    Host asHost(String name);

    /** Whether {@link #cut} works; if not, a report says so. */
    boolean canCut();

    /** From now on nothing gets from one to the other, in either direction; nobody is told. */
    void cut(String one, String other);

    /** Undoes all cuts. */
    void heal();

    @Override
    void close();
}
