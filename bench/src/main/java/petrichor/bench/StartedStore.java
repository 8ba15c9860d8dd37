package petrichor.bench;

import java.nio.file.Path;
import petrichor.base.PetrichorException;
import petrichor.deployment.StoreCluster;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.StoreUrl;
import petrichor.server.data.StorePlugins;

/**
 * A datastore, started for one run on unused ports. Killed and deleted on close, and when this
 * process ends before that.
 */
public final class StartedStore implements AutoCloseable {
    private final StoreCluster cluster;
    private final Thread atExit;

    private StartedStore(StoreCluster cluster) {
        this.cluster = cluster;
        Path folder = cluster.folder();
        this.atExit = new Thread(() -> StoreCluster.destroy(folder));
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * @param named name of the store, followed by a colon and the number of nodes if there is more
     *     than one
     * @param folder for its data; must not exist
     */
    public static StartedStore start(
            String named, StorePlugins plugins, Path folder, Progress progress) {
        String[] parts = named.split(":", 2);
        String store = parts[0];
        int nodes = parts.length == 1 ? 1 : nodes(named, parts[1]);
        StoreDeployment deployment =
                plugins.deployment(store)
                        .orElseThrow(
                                () ->
                                        PetrichorException.invalid(
                                                "--start knows "
                                                        + String.join(
                                                                ", ",
                                                                plugins.deployments().stream()
                                                                        .map(StoreDeployment::store)
                                                                        .toList())
                                                        + ", not "
                                                        + store));
        if (nodes > deployment.nodesMax()) {
            throw PetrichorException.invalid(
                    "--start: {store} runs on at most {max} nodes here, not {nodes}",
                    "store",
                    store,
                    "max",
                    deployment.nodesMax(),
                    "nodes",
                    nodes);
        }
        progress.say("starting " + named);
        StoreCluster cluster =
                StoreCluster.create(
                        deployment,
                        folder,
                        StoreCluster.Layout.here(nodes).onAnyPorts(),
                        line -> progress.say(store + ": " + line));
        StartedStore started = new StartedStore(cluster);
        try {
            cluster.start(line -> progress.say(store + ": " + line));
            return started;
        } catch (RuntimeException failed) {
            started.close();
            throw failed;
        }
    }

    private static int nodes(String named, String number) {
        if (!number.matches("[1-9]\\d?")) {
            throw PetrichorException.invalid(
                    "--start takes STORE or STORE:NODES, such as cassandra:3, not {value}",
                    "value",
                    named);
        }
        return Integer.parseInt(number);
    }

    public StoreUrl url() {
        return StoreUrl.parse(address());
    }

    /** With its password, as in a configuration. */
    public String address() {
        return cluster.url();
    }

    @Override
    public void close() {
        StoreCluster.destroy(cluster.folder());
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
