package petrichor.bench;

import java.nio.file.Path;
import petrichor.base.PetrichorException;
import petrichor.deployment.StoreCluster;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.StoreUrl;
import petrichor.server.StorePlugins;

/**
 * The server of a datastore, started for one run: one node on unused ports. Killed and deleted on
 * close, and when this process ends before that.
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
     * @param folder for its data; must not exist
     */
    public static StartedStore start(
            String store, StorePlugins plugins, Path folder, Progress progress) {
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
        progress.say("starting " + store);
        StoreCluster cluster =
                StoreCluster.create(
                        deployment,
                        folder,
                        StoreCluster.Layout.here(1).onAnyPorts(),
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
