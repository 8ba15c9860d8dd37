package petrichor.movement.kafka;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;

/** A Kafka broker that is its own controller, from Maven's jars. */
final class KafkaBroker implements StoreDeployment {
    private static final String VERSION = "4.3.1";
    private static final String JAVA = "java";
    private static final String JARS = "kafka";

    @Override
    public String store() {
        return "kafka";
    }

    @Override
    public String version() {
        return VERSION;
    }

    @Override
    public int nodesMax() {
        return 1;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(
                new Dependency.Java(JAVA, List.of(17, 21, 25)),
                new Dependency.Jars(
                        JARS,
                        List.of("org.apache.kafka:kafka_2.13:" + VERSION),
                        Map.of(),
                        List.of()));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of("client", 9092, "controller", 9093);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        String file = node.folder().resolve("server.properties").toString();
        String settings =
                """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@%1$s:%3$d
                listeners=PLAINTEXT://%1$s:%2$d,CONTROLLER://%1$s:%3$d
                advertised.listeners=PLAINTEXT://%1$s:%2$d
                controller.listener.names=CONTROLLER
                listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
                log.dirs=%4$s
                message.max.bytes=9000000
                offsets.topic.replication.factor=1
                offsets.topic.num.partitions=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                transaction.state.log.num.partitions=1
                num.partitions=3
                """
                        .formatted(
                                node.address(),
                                node.port("client"),
                                node.port("controller"),
                                node.folder().resolve("data"));
        return new NodeRecipe(
                Map.of("server.properties", settings),
                List.of(
                        command(
                                node,
                                "kafka.tools.StorageTool",
                                "format",
                                "-t",
                                "bZ1XNzpNQx6zP7mN3GSCvA",
                                "-c",
                                file)),
                command(node, "kafka.Kafka", file),
                Map.of(),
                false);
    }

    private static List<String> command(Node node, String... program) {
        List<String> start =
                List.of(
                        node.supply(JAVA).resolve("bin/java").toString(),
                        "-Xmx384m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        node.supply(JARS).resolve("*").toString());
        return Stream.concat(start.stream(), Arrays.stream(program)).toList();
    }

    @Override
    public boolean serves(Cluster cluster, Node node) {
        try (Admin admin =
                Admin.create(
                        Map.of(
                                "bootstrap.servers",
                                brokers(node),
                                "request.timeout.ms",
                                "1500",
                                "default.api.timeout.ms",
                                "2000"))) {
            return admin.describeCluster().nodes().get(2, TimeUnit.SECONDS).size() == 1;
        } catch (Exception notYet) {
            return false;
        }
    }

    static String brokers(Node node) {
        return node.address() + ":" + node.port("client");
    }

    @Override
    public String url(Cluster cluster) {
        return "kafka://" + brokers(cluster.first());
    }
}
