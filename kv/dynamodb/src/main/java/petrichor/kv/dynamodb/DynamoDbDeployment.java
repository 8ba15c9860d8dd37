package petrichor.kv.dynamodb;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import petrichor.base.PetrichorException;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.StoreUrl;

/**
 * Deploys Amazon's DynamoDB Local, with its data on disk. For tests and evaluation: it accepts any
 * access key, and never throttles.
 */
public final class DynamoDbDeployment implements StoreDeployment {
    private static final String VERSION = "2.6.1";
    private static final int HEAP_MB = 256;
    private static final String PROBE_TIMEOUT = "2s";

    private final boolean inMemory;

    public DynamoDbDeployment() {
        this(false);
    }

    private DynamoDbDeployment(boolean inMemory) {
        this.inMemory = inMemory;
    }

    /** Loses everything when it ends, and is many times faster: for tests. */
    static DynamoDbDeployment inMemory() {
        return new DynamoDbDeployment(true);
    }

    @Override
    public String store() {
        return DynamoDbAddress.SCHEME;
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
                new Dependency.Jars(
                        "dynamodb",
                        List.of("com.amazonaws:DynamoDBLocal:" + VERSION),
                        Map.of(),
                        List.of()),
                new Dependency.Java("java", List.of(25, 21, 17)));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of("http", 8000);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        Path jars = node.supply("dynamodb");
        Path data = node.folder().resolve("data");
        List<String> command = new ArrayList<>();
        command.addAll(
                List.of(
                        node.supply("java").resolve("bin/java").toString(),
                        "-Xmx" + HEAP_MB + "m",
                        "-Djava.library.path=" + jars,
                        "-cp",
                        jars + "/*",
                        "com.amazonaws.services.dynamodbv2.local.main.ServerRunner",
                        "-port",
                        Integer.toString(node.port("http")),
                        "-sharedDb",
                        "-disableTelemetry"));
        command.addAll(inMemory ? List.of("-inMemory") : List.of("-dbPath", data.toString()));
        return new NodeRecipe(
                Map.of(),
                List.of(List.of("mkdir", "-p", data.toString())),
                command,
                Map.of(),
                false);
    }

    @Override
    public boolean serves(Cluster cluster, Node node) {
        StoreUrl url = StoreUrl.parse(address(cluster, node) + "?timeout=" + PROBE_TIMEOUT);
        try (DynamoDbConnection connection = new DynamoDbConnection(DynamoDbAddress.of(url))) {
            connection.call(null, client -> client.listTables());
            return true;
        } catch (PetrichorException notYet) {
            return false;
        }
    }

    @Override
    public String url(Cluster cluster) {
        return address(cluster, cluster.first());
    }

    private static String address(Cluster cluster, Node node) {
        return DynamoDbAddress.SCHEME
                + "://petrichor:"
                + cluster.secret()
                + "@"
                + node.address()
                + ":"
                + node.port("http")
                + "/petrichor";
    }
}
