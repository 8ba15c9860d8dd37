package petrichor.cli.jobs;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;
import petrichor.jobs.leased.ClusterMachines;
import petrichor.jobs.service.Backends;

/**
 * A session cluster of Flink: the first node is the job manager, the others are task managers. All
 * nodes have the jars of this program on their class path, which contain the tasks, sources and
 * sinks; therefore they run on this machine.
 *
 * @param slots of each task manager
 * @param memoryMegabytes heap of each task manager
 * @param machines file that describes the machines that the job manager leases for task managers;
 *     null if task managers are permanent nodes
 */
record FlinkDeployment(int slots, int memoryMegabytes, @Nullable Path machines)
        implements StoreDeployment {
    private static final String JAVA = "java";
    private static final String RPC = "rpc";
    private static final String REST = "rest";
    private static final String DATA = "data";
    private static final String BLOBS = "blobs";
    private static final int NODES_MAX = 65;
    private static final int MANAGER_MEMORY_MEGABYTES = 512;
    private static final int NETWORK_MEMORY_MEGABYTES = 128;

    /**
     * Memory of a task manager besides its heap: 64, 64 and 1 MB for Flink's own pools, 128 for
     * network buffers, 256 for classes, 128 for the JVM.
     */
    private static final int BESIDE_HEAP_MEGABYTES = 641;

    /** Idle time after which a task manager is released. */
    private static final int IDLE_SECONDS = 3;

    /** Bounds messages, which may contain samples of records. */
    private static final int MESSAGE_BYTES_MAX = 64 << 20;

    private static final int SLOT_SECONDS = 60;

    /** Share of the heap for operators; the rest is for network buffers, user code and Flink. */
    private static final double TASK_MEMORY_PART = 0.5;

    private static final Duration ASK_TIMEOUT = Duration.ofSeconds(2);

    @Override
    public String store() {
        return "flink";
    }

    @Override
    public String version() {
        return "2.3.0";
    }

    @Override
    public int nodesMax() {
        return NODES_MAX;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(new Dependency.Java(JAVA, List.of(25)));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of(RPC, 6123, REST, 8081, DATA, 6121, BLOBS, 6124);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        boolean manages = node.number() == 1;
        return new NodeRecipe(
                Map.of("conf/config.yaml", configuration(cluster, node)),
                List.of(),
                List.of(
                        node.supply(JAVA).resolve("bin/java").toString(),
                        "-Xmx" + (manages ? MANAGER_MEMORY_MEGABYTES : memoryMegabytes) + "m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:MaxDirectMemorySize=" + 4 * NETWORK_MEMORY_MEGABYTES + "m",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "-cp",
                        classPath(),
                        program(manages),
                        "--configDir",
                        node.folder().resolve("conf").toString()),
                Map.of(),
                false);
    }

    private String program(boolean manages) {
        if (!manages) {
            return "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";
        }
        return machines == null
                ? "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
                : "petrichor.jobs.flink.LeasedCluster";
    }

    /**
     * Memory of a task manager process, including the memory besides the configured heap; see
     * {@link #configuration}.
     */
    int processMegabytes() {
        return memoryMegabytes + BESIDE_HEAP_MEGABYTES;
    }

    /**
     * The class path of the nodes. Petrichor's jars precede Flink's, so that a library in both has
     * the version that Petrichor was built with.
     */
    private static String classPath() {
        Path flink = Backends.folder("flink");
        return System.getProperty("java.class.path") + File.pathSeparator + flink.resolve("*");
    }

    private String configuration(Cluster cluster, Node node) {
        Node manager = cluster.nodes().getFirst();
        boolean leases = machines != null;
        String leased =
                """
                petrichor.machines: %s
                resourcemanager.taskmanager-timeout: %ds
                """
                        .formatted(machines, IDLE_SECONDS);
        return (leases ? leased : "")
                + """
                # Written at each start.
                jobmanager.rpc.address: %s
                jobmanager.rpc.port: %d
                jobmanager.bind-host: %s
                jobmanager.memory.process.size: 1g
                blob.server.port: %d
                rest.address: %s
                rest.port: %d
                rest.bind-address: %s
                slot.request.timeout: %ds
                pekko.framesize: %db
                classloader.parent-first-patterns.additional: petrichor.
                taskmanager.host: %s
                taskmanager.bind-host: %s
                taskmanager.rpc.port: %d
                taskmanager.data.port: %d
                taskmanager.numberOfTaskSlots: %d
                taskmanager.cpu.cores: %d.0
                taskmanager.memory.framework.heap.size: 64m
                taskmanager.memory.framework.off-heap.size: 64m
                taskmanager.memory.task.heap.size: %dm
                taskmanager.memory.task.off-heap.size: 0m
                taskmanager.memory.managed.size: 1m
                taskmanager.memory.network.min: %dm
                taskmanager.memory.network.max: %dm
                taskmanager.memory.jvm-metaspace.size: 256m
                taskmanager.memory.jvm-overhead.min: 128m
                taskmanager.memory.jvm-overhead.max: 128m
                petrichor.slot-memory-bytes: %d
                io.tmp.dirs: %s
                """
                        .formatted(
                                manager.address(),
                                manager.port(RPC),
                                manager.address(),
                                manager.port(BLOBS),
                                manager.address(),
                                manager.port(REST),
                                manager.address(),
                                slotSeconds(),
                                MESSAGE_BYTES_MAX,
                                node.address(),
                                node.address(),
                                leases ? 0 : node.port(RPC),
                                leases ? 0 : node.port(DATA),
                                slots,
                                slots,
                                memoryMegabytes,
                                NETWORK_MEMORY_MEGABYTES,
                                NETWORK_MEMORY_MEGABYTES,
                                (long) (((long) memoryMegabytes << 20) * TASK_MEMORY_PART / slots),
                                node.folder().resolve("tmp"));
    }

    /** Time for which a job waits for slots before it fails. */
    private long slotSeconds() {
        return machines == null
                ? SLOT_SECONDS
                : ClusterMachines.read(machines).setting().waitMax().toSeconds();
    }

    /**
     * The job manager is ready when it answers, a task manager when the job manager has registered
     * it.
     */
    @Override
    public boolean serves(Cluster cluster, Node node) {
        return overview(cluster)
                .map(seen -> seen.get("taskmanagers").getAsInt() >= node.number() - 1)
                .orElse(false);
    }

    /** Flink's overview of the cluster; empty if it does not answer. */
    static Optional<JsonObject> overview(Cluster cluster) {
        Node manager = cluster.nodes().getFirst();
        URI uri =
                URI.create("http://" + manager.address() + ":" + manager.port(REST) + "/overview");
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(ASK_TIMEOUT).build()) {
            HttpResponse<String> answer =
                    client.send(
                            HttpRequest.newBuilder(uri).timeout(ASK_TIMEOUT).build(),
                            HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 200
                    ? Optional.of(JsonParser.parseString(answer.body()).getAsJsonObject())
                    : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (IOException | JsonParseException | IllegalStateException notYet) {
            return Optional.empty();
        }
    }

    @Override
    public String setting() {
        return "--backend";
    }

    @Override
    public String url(Cluster cluster) {
        Node manager = cluster.nodes().getFirst();
        return "flink://" + manager.address() + ":" + manager.port(REST);
    }
}
