package petrichor.kv.cassandra;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;

/** Deploys one to three Cassandra nodes from Maven jars, with a password, on Java 17. */
public final class CassandraDeployment implements StoreDeployment {
    private static final String VERSION = "5.0.9";
    private static final String JARS = "cassandra";
    private static final String JAVA = "java";
    private static final String CQL = "cql";
    private static final String STORAGE = "storage";
    private static final int ASK_TIMEOUT_MS = 2_000;

    /** Version 4 of the protocol, request OPTIONS, stream 0, no body. */
    private static final byte[] OPTIONS = {4, 0, 0, 0, 5, 0, 0, 0, 0};

    private static final int SUPPORTED = 6;

    /** The exports of Cassandra's own start script. */
    private static final List<String> EXPORTS =
            List.of(
                    "java.base/jdk.internal.misc",
                    "java.base/java.lang.ref",
                    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
                    "java.rmi/sun.rmi.registry",
                    "java.rmi/sun.rmi.server",
                    "java.sql/java.sql",
                    "jdk.attach/sun.tools.attach",
                    "jdk.compiler/com.sun.tools.javac.file",
                    "jdk.unsupported/sun.misc");

    private static final List<String> OPENS =
            List.of(
                    "java.base/java.io",
                    "java.base/java.lang",
                    "java.base/java.lang.module",
                    "java.base/java.lang.reflect",
                    "java.base/java.nio",
                    "java.base/java.util",
                    "java.base/jdk.internal.loader",
                    "java.base/jdk.internal.math",
                    "java.base/jdk.internal.module",
                    "java.base/jdk.internal.ref",
                    "java.base/jdk.internal.reflect",
                    "java.base/jdk.internal.util.jar",
                    "java.base/sun.nio.ch",
                    "jdk.compiler/com.sun.tools.javac",
                    "jdk.management/com.sun.management.internal");

    @Override
    public String store() {
        return "cassandra";
    }

    @Override
    public String version() {
        return VERSION;
    }

    @Override
    public int nodesMax() {
        return 3;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(
                new Dependency.Jars(
                        JARS,
                        List.of("org.apache.cassandra:cassandra-all:" + VERSION),
                        Map.of(),
                        List.of()),
                new Dependency.Java(JAVA, List.of(17)));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of(CQL, CassandraAddress.PORT, STORAGE, 7000);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        return new NodeRecipe(
                Map.of(
                        "conf/cassandra.yaml",
                        configuration(cluster, node),
                        "conf/logback.xml",
                        LOGGING),
                List.of(),
                command(cluster, node),
                Map.of(),
                false);
    }

    private static List<String> command(Cluster cluster, Node node) {
        Path jars = node.supply(JARS);
        Path conf = node.folder().resolve("conf");
        List<String> command = new ArrayList<>();
        command.add(node.supply(JAVA).resolve("bin/java").toString());
        String heap = node.number() == 1 ? "512m" : "384m";
        command.addAll(List.of("-Xms" + heap, "-Xmx" + heap, "-Xss512k", "-XX:+UseSerialGC"));
        command.add("-XX:MaxDirectMemorySize=256m");
        EXPORTS.forEach(one -> command.add("--add-exports=" + one + "=ALL-UNNAMED"));
        OPENS.forEach(one -> command.add("--add-opens=" + one + "=ALL-UNNAMED"));
        command.add("-javaagent:" + jars.resolve("jamm-0.4.0.jar"));
        command.addAll(
                List.of(
                        "-Djdk.attach.allowAttachSelf=true",
                        "-Dio.netty.tryReflectionSetAccessible=true",
                        "-Dcassandra.config=" + conf.resolve("cassandra.yaml").toUri(),
                        "-Dlogback.configurationFile=" + conf.resolve("logback.xml"),
                        "-Dcassandra.storagedir=" + node.folder(),
                        "-Dcassandra.logdir=" + node.folder(),
                        "-Dcassandra-foreground=yes",
                        "-Dcassandra.superuser_setup_delay_ms=0"));
        if (cluster.nodes().stream().allMatch(one -> one.address().startsWith("127."))) {
            // Nodes on one machine discover each other immediately.
            command.addAll(
                    List.of(
                            "-Dcassandra.ring_delay_ms=3000",
                            "-Dcassandra.skip_wait_for_gossip_to_settle=0"));
        }
        // Nodes that join in sequence need not wait for each other's ranges to settle.
        command.add("-Dcassandra.consistent.rangemovement=false");
        command.addAll(
                List.of(
                        "-cp",
                        conf + ":" + jars + "/*",
                        "org.apache.cassandra.service.CassandraDaemon"));
        return command;
    }

    private static String configuration(Cluster cluster, Node node) {
        String folder = node.folder().toString().replace("\\", "\\\\").replace("\"", "\\\"");
        String seed = cluster.first().address() + ":" + cluster.first().port(STORAGE);
        return """
        # Written at each start.
        cluster_name: "%s"
        num_tokens: 16
        allocate_tokens_for_local_replication_factor: 3
        partitioner: org.apache.cassandra.dht.Murmur3Partitioner
        endpoint_snitch: SimpleSnitch
        seed_provider:
          - class_name: org.apache.cassandra.locator.SimpleSeedProvider
            parameters: [{seeds: "%s"}]
        listen_address: "%s"
        rpc_address: "%s"
        native_transport_port: %d
        storage_port: %d
        authenticator: PasswordAuthenticator
        authorizer: CassandraAuthorizer
        role_manager: CassandraRoleManager

        # What Petrichor insists on: on disk before it is acknowledged.
        commitlog_sync: batch
        # Half a segment is the largest write.
        commitlog_segment_size: 32MiB
        commitlog_total_space: 512MiB
        paxos_variant: v2

        commitlog_directory: "%s/commitlog"
        data_file_directories: ["%s/data"]
        saved_caches_directory: "%s/saved_caches"
        hints_directory: "%s/hints"
        cdc_raw_directory: "%s/cdc_raw"

        # Small: a few nodes share a machine.
        memtable_heap_space: 96MiB
        memtable_offheap_space: 64MiB
        file_cache_size: 64MiB
        networking_cache_size: 16MiB
        key_cache_size: 8MiB
        concurrent_reads: 16
        concurrent_writes: 16
        concurrent_compactors: 1
        """
                .formatted(
                        cluster.name(),
                        seed,
                        node.address(),
                        node.address(),
                        node.port(CQL),
                        node.port(STORAGE),
                        folder,
                        folder,
                        folder,
                        folder,
                        folder);
    }

    private static final String LOGGING =
            """
            <configuration>
              <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
                <encoder><pattern>%d{ISO8601} %-5level %logger{0} %msg%n</pattern></encoder>
              </appender>
              <root level="INFO"><appender-ref ref="out"/></root>
            </configuration>
            """;

    /** A node opens this port only after it has joined the ring. */
    @Override
    public boolean serves(Cluster cluster, Node node) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(node.address(), node.port(CQL)), ASK_TIMEOUT_MS);
            socket.setSoTimeout(ASK_TIMEOUT_MS);
            socket.getOutputStream().write(OPTIONS);
            byte[] head = new byte[OPTIONS.length];
            new DataInputStream(socket.getInputStream()).readFully(head);
            return head[4] == SUPPORTED;
        } catch (IOException notYet) {
            return false;
        }
    }

    @Override
    public void whenAllServe(Cluster cluster) {
        List<InetSocketAddress> nodes =
                cluster.nodes().stream()
                        .map(node -> new InetSocketAddress(node.address(), node.port(CQL)))
                        .toList();
        CassandraSessions.quietly(() -> new InitialUser(nodes, cluster.secret()).require());
    }

    @Override
    public String url(Cluster cluster) {
        String nodes =
                cluster.nodes().stream()
                        .map(node -> node.address() + ":" + node.port(CQL))
                        .collect(Collectors.joining(","));
        return "cassandra://%s:%s@%s/petrichor"
                .formatted(InitialUser.NAME, cluster.secret(), nodes);
    }
}
