package petrichor.coordination.zookeeper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;

/**
 * Deploys one ZooKeeper server, or an ensemble of three or five, from Maven's jars. It is not a
 * datastore; {@code cluster.coordination} checks that it responds.
 */
public final class ZooKeeperDeployment implements StoreDeployment {
    private static final String VERSION = "3.9.5";
    private static final String JARS = "zookeeper";
    private static final String JAVA = "java";
    private static final String CLIENT = "client";
    private static final String PEER = "peer";
    private static final String ELECTION = "election";
    private static final int ASK_TIMEOUT_MS = 2_000;

    /** A new leader is elected within a second: measured 0.6 s with this tick. */
    private static final int TICK_MS = 200;

    private static final int NODES_MAX = 7;

    @Override
    public String store() {
        return "zookeeper";
    }

    @Override
    public String version() {
        return VERSION;
    }

    @Override
    public int nodesMax() {
        return NODES_MAX;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(
                new Dependency.Java(JAVA, List.of(17, 21, 25)),
                new Dependency.Jars(
                        JARS,
                        List.of(
                                "org.apache.zookeeper:zookeeper:" + VERSION,
                                // The server needs these but does not declare them.
                                "io.dropwizard.metrics:metrics-core:4.1.12.1",
                                "org.xerial.snappy:snappy-java:1.1.10.5"),
                        Map.of(),
                        List.of()));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of(CLIENT, 2181, PEER, 2888, ELECTION, 3888);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        Path configuration = node.folder().resolve("zoo.cfg");
        return new NodeRecipe(
                Map.of("zoo.cfg", configuration(cluster, node), "data/myid", node.number() + "\n"),
                List.of(),
                List.of(
                        node.supply(JAVA).resolve("bin/java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-Dzookeeper.jmx.log4j.disable=true",
                        "-cp",
                        node.supply(JARS).resolve("*").toString(),
                        "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                        configuration.toString()),
                Map.of(),
                false);
    }

    private static String configuration(Cluster cluster, Node node) {
        String settings =
                """
                # Written at each start.
                tickTime=%d
                initLimit=50
                syncLimit=25
                dataDir=%s
                clientPort=%d
                clientPortAddress=%s
                admin.enableServer=false
                autopurge.purgeInterval=1
                """
                        .formatted(
                                TICK_MS,
                                node.folder().resolve("data"),
                                node.port(CLIENT),
                                node.address());
        if (cluster.nodes().size() == 1) {
            return settings;
        }
        return cluster.nodes().stream()
                .map(
                        one ->
                                "server.%d=%s:%d:%d%n"
                                        .formatted(
                                                one.number(),
                                                one.address(),
                                                one.port(PEER),
                                                one.port(ELECTION)))
                .collect(Collectors.joining("", settings, ""));
    }

    /**
     * A node of an ensemble serves once most of the others run. They are started in turn, so until
     * then a node that is only waiting for them counts as serving.
     */
    @Override
    public boolean serves(Cluster cluster, Node node) {
        String answer = ask(node);
        if (answer.contains("Mode:")) {
            return true;
        }
        long answering = cluster.nodes().stream().filter(one -> !ask(one).isEmpty()).count();
        return !answer.isEmpty() && answering <= cluster.nodes().size() / 2;
    }

    /** Its status report; empty if it does not respond. */
    private static String ask(Node node) {
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(node.address(), node.port(CLIENT)), ASK_TIMEOUT_MS);
            socket.setSoTimeout(ASK_TIMEOUT_MS);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readAllBytes();
            return new String(answer, StandardCharsets.US_ASCII);
        } catch (IOException notYet) {
            return "";
        }
    }

    @Override
    public String setting() {
        return "cluster.coordination";
    }

    @Override
    public String url(Cluster cluster) {
        return cluster.nodes().stream()
                .map(node -> node.address() + ":" + node.port(CLIENT))
                .collect(Collectors.joining(",", "zookeeper://", "/petrichor"));
    }
}
