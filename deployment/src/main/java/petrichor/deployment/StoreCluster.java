package petrichor.deployment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The servers of one datastore, laid out in a folder: carries out what a {@link StoreDeployment}
 * describes. A node counts as started only when its process runs and it responds; if a start fails,
 * the nodes that it started are stopped again. Commands that start, stop or wipe the whole cluster
 * exclude each other: the second one is refused while the first runs.
 *
 * <p>Failures name the node and its host and show the last lines of its log.
 */
public final class StoreCluster {
    private static final Duration POLL = Duration.ofMillis(100);

    /**
     * Checking the process is slower than querying the server, so it happens once per this many
     * polls.
     */
    private static final int POLLS_PER_PROCESS_CHECK = 5;

    private static final int POLLS_PER_WORD = 100;

    private final StoreDeployment deployment;
    private final Path folder;
    private final Cluster cluster;
    private final List<NodeProcess> processes;
    private final List<Map<String, String>> environments;

    private StoreCluster(StoreDeployment deployment, Path folder, ClusterFile file) {
        this.deployment = deployment;
        this.folder = folder;
        this.cluster = file.cluster();
        this.environments = file.environments();
        this.processes = processes(file);
    }

    private static List<NodeProcess> processes(ClusterFile file) {
        List<NodeProcess> all = new ArrayList<>();
        for (Node node : file.cluster().nodes()) {
            all.add(new NodeProcess(file.hosts().get(node.number() - 1), node));
        }
        return List.copyOf(all);
    }

    /** Hosts and ports of the nodes. */
    public record Layout(List<Host> hosts, boolean usualPorts) {
        public Layout {
            hosts = List.copyOf(hosts);
        }

        public static Layout here(int nodes) {
            List<Host> hosts = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                hosts.add(new Host.ThisMachine());
            }
            return new Layout(hosts, true);
        }

        /** On random ports: for tests, which must not conflict. */
        public Layout onAnyPorts() {
            return new Layout(hosts, false);
        }
    }

    /** Whether the folder contains a cluster. */
    public static boolean existsIn(Path folder) {
        return ClusterFile.existsIn(folder);
    }

    /** The name of the store whose cluster is in the folder. */
    public static String storeIn(Path folder) {
        return ClusterFile.read(folder).store();
    }

    /** Opens the cluster in the folder; NOT_FOUND if there is none. */
    public static StoreCluster open(StoreDeployment deployment, Path folder) {
        Path absolute = folder.toAbsolutePath().normalize();
        if (!ClusterFile.existsIn(absolute)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "there is no {store} in {folder}; start one first",
                    "store",
                    deployment.store(),
                    "folder",
                    folder);
        }
        ClusterFile file = ClusterFile.read(absolute);
        if (!file.store().equals(deployment.store())) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "{folder} contains a {actualStore}, not a {store}",
                    "folder",
                    folder,
                    "actualStore",
                    file.store(),
                    "store",
                    deployment.store());
        }
        if (!file.version().equals(deployment.version())) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "{folder} was created with {store} {version}, but this version runs"
                        + " {requiredVersion}; migrate the data with that store's tools, or wipe"
                        + " it",
                    "folder",
                    folder,
                    "store",
                    file.store(),
                    "version",
                    file.version(),
                    "requiredVersion",
                    deployment.version());
        }
        return new StoreCluster(deployment, absolute, file);
    }

    /** Fetches what the hosts lack and lays out the nodes. Starts nothing. */
    public static StoreCluster create(
            StoreDeployment deployment, Path folder, Layout layout, Progress progress) {
        Path absolute = folder.toAbsolutePath().normalize();
        ClusterFile plan = new ClusterPlan(deployment, absolute, layout).made(progress);
        plan.write(absolute);
        return new StoreCluster(deployment, absolute, plan);
    }

    public Path folder() {
        return folder;
    }

    public Cluster cluster() {
        return cluster;
    }

    public StoreDeployment deployment() {
        return deployment;
    }

    public String url() {
        return deployment.url(cluster);
    }

    /**
     * Starts the nodes that are not running, one after the other, and returns when all of them
     * serve. If one does not, those started by this call are stopped again.
     */
    public void start(Progress progress) {
        try (FolderLock _ = FolderLock.of(folder)) {
            startAll(progress);
        }
    }

    private void startAll(Progress progress) {
        List<Node> started = new ArrayList<>();
        try {
            for (Node node : cluster.nodes()) {
                if (!process(node).runs()) {
                    started.add(node);
                    launch(node);
                }
                awaitServing(node, progress);
            }
            deployment.whenAllServe(cluster);
        } catch (RuntimeException failed) {
            for (Node node : started.reversed()) {
                stopAfter(failed, node);
            }
            throw failed;
        }
    }

    private void stopAfter(RuntimeException failed, Node node) {
        try {
            stop(node);
        } catch (RuntimeException still) {
            failed.addSuppressed(still);
        }
    }

    /** Starts one node and returns when it serves. */
    public void start(Node node, Progress progress) {
        launch(node);
        awaitServing(node, progress);
    }

    private void launch(Node node) {
        NodeProcess process = process(node);
        if (!process.runs()) {
            requireFreePorts(node, process.host() instanceof Host.ThisMachine);
        }
        NodeRecipe recipe = deployment.recipe(cluster, node);
        Map<String, String> environment = new TreeMap<>(environments.get(node.number() - 1));
        environment.putAll(recipe.environment());
        process.start(recipe, environment);
    }

    /** Another program that responds there would be mistaken for the node. */
    private void requireFreePorts(Node node, boolean here) {
        for (int port : node.ports().values()) {
            if (!Ports.free(port, node.address(), here)) {
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "port {port} on {address} is used by another program; node {number} of"
                                + " {cluster} is configured to listen there",
                        "port",
                        port,
                        "address",
                        node.address(),
                        "number",
                        node.number(),
                        "cluster",
                        cluster.name());
            }
        }
    }

    private void awaitServing(Node node, Progress progress) {
        NodeProcess process = process(node);
        long started = System.nanoTime();
        for (int polls = 0; ; polls++) {
            boolean serves = deployment.serves(cluster, node);
            if (serves || polls % POLLS_PER_PROCESS_CHECK == 0) {
                if (!process.runs()) {
                    throw notServing(node, "ended");
                }
                if (serves) {
                    return;
                }
            }
            Duration waited = Duration.ofNanos(System.nanoTime() - started);
            if (waited.compareTo(deployment.startTimeMax()) > 0) {
                throw notServing(node, "does not answer after " + waited.toSeconds() + " s");
            }
            if (polls % POLLS_PER_WORD == POLLS_PER_WORD - 1) {
                progress.say(
                        "waiting for node "
                                + node.number()
                                + " of "
                                + cluster.name()
                                + " to answer, "
                                + waited.toSeconds()
                                + " s");
            }
            pause();
        }
    }

    private PetrichorException notServing(Node node, String why) {
        NodeProcess process = process(node);
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "node {number} of {cluster} on {host} {reason}; the last lines of {log}:\n{logEnd}",
                "number",
                node.number(),
                "cluster",
                cluster.name(),
                "host",
                process.host().name(),
                "reason",
                why,
                "log",
                process.log(),
                "logEnd",
                process.logEnd(NodeProcess.LOG_LINES_SHOWN));
    }

    private static void pause() {
        try {
            Thread.sleep(POLL);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "interrupted while waiting");
        }
    }

    /**
     * Stops the nodes in reverse order; returns those that had to be killed. If a node cannot be
     * stopped, because its host is unreachable, the others are still stopped.
     */
    public List<Node> stop() {
        try (FolderLock _ = FolderLock.of(folder)) {
            return stopAll();
        }
    }

    private List<Node> stopAll() {
        List<Node> killed = new ArrayList<>();
        RuntimeException failed = null;
        for (Node node : cluster.nodes().reversed()) {
            try {
                if (!stop(node)) {
                    killed.add(node);
                }
            } catch (PetrichorException left) {
                failed = failed == null ? left : failed;
            }
        }
        if (failed != null) {
            throw failed;
        }
        return killed;
    }

    /** True if it ended by itself; otherwise it was killed after the timeout. */
    public boolean stop(Node node) {
        return process(node).stop(deployment.stopSignal(), deployment.stopTimeMax());
    }

    /** SIGKILL, as in a crash. */
    public void kill(Node node) {
        process(node).kill();
    }

    /** SIGSTOP. */
    public void pause(Node node) {
        process(node).pause();
    }

    /** SIGCONT. */
    public void resume(Node node) {
        process(node).resume();
    }

    /** State of a node. */
    public enum State {
        /** Its process runs and it responds. */
        SERVES,
        /** Its process runs, but it does not respond. */
        SILENT,
        STOPPED
    }

    public State state(Node node) {
        if (!process(node).runs()) {
            return State.STOPPED;
        }
        return deployment.serves(cluster, node) ? State.SERVES : State.SILENT;
    }

    /** Process id of the node, on its host. */
    public OptionalLong pid(Node node) {
        return process(node).pid();
    }

    public Host host(Node node) {
        return process(node).host();
    }

    /** Path on the node's host. */
    public Path log(Node node) {
        return process(node).log();
    }

    /** The command line that prints a node's log. */
    public List<String> logCommand(Node node, int lines, boolean follow) {
        String file = Shell.quoted(process(node).log().toString());
        return process(node).host().command("tail -n " + lines + (follow ? " -F " : " ") + file);
    }

    /** Deletes all data and the record of the cluster; FAILED_PRECONDITION while a node runs. */
    public void wipe() {
        try (FolderLock _ = FolderLock.of(folder)) {
            processes.forEach(NodeProcess::requireStopped);
            wipe(folder, processes);
        }
    }

    private static void wipe(Path folder, List<NodeProcess> processes) {
        processes.forEach(NodeProcess::wipe);
        try {
            Files.deleteIfExists(folder.resolve(ClusterFile.NAME));
            Files.deleteIfExists(folder);
        } catch (DirectoryNotEmptyException others) {
            // The folder contains other files too.
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Kills the processes of the cluster in the folder, for any store, and deletes the folder. */
    public static void destroy(Path folder) {
        Path absolute = folder.toAbsolutePath().normalize();
        if (ClusterFile.existsIn(absolute)) {
            ClusterFile file = ClusterFile.read(absolute);
            List<NodeProcess> processes = processes(file);
            processes.forEach(NodeProcess::kill);
            wipe(absolute, processes);
        }
    }

    private NodeProcess process(Node node) {
        return processes.get(node.number() - 1);
    }
}
