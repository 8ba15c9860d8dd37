package petrichor.kv.mongodb;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.StoreUrl;

/**
 * Deploys FerretDB, which implements MongoDB's protocol and stores its rows in SQLite: MongoDB's
 * own server is not available from any package registry.
 */
public final class MongoDeployment implements StoreDeployment {
    private static final String VERSION = "1.24.0";
    private static final String MODULE = "github.com/FerretDB/FerretDB";
    private static final String PROGRAM = "ferretdb";
    private static final String PORT = "mongodb";
    private static final String USER = "petrichor";
    private static final Duration STOP_TIME = Duration.ofSeconds(3);
    private static final Duration ASK_TIMEOUT = Duration.ofSeconds(2);

    @Override
    public String store() {
        return "mongodb";
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
                new Dependency.GoProgram(
                        PROGRAM,
                        MODULE + "@v" + VERSION,
                        MODULE + "/cmd/ferretdb",
                        List.of("ferretdb_sqlite"),
                        // Without it the program does not know its version, and does not start.
                        Map.of("build/version/version.txt", "v" + VERSION + "\n")));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of(PORT, MongoAddress.PORT);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        String folder = node.folder().toString();
        return new NodeRecipe(
                Map.of(),
                List.of(),
                List.of(
                        node.supply(PROGRAM).toString(),
                        "--handler=sqlite",
                        "--sqlite-url=file:" + folder + "/?_pragma=synchronous(full)",
                        "--listen-addr=" + node.address() + ":" + node.port(PORT),
                        "--debug-addr=-",
                        "--state-dir=" + folder,
                        "--log-level=warn",
                        "--telemetry=disable",
                        "--test-enable-new-auth"),
                // Not among the arguments, which all users of the host can see.
                Map.of(
                        "FERRETDB_SETUP_DATABASE",
                        "admin",
                        "FERRETDB_SETUP_USERNAME",
                        USER,
                        "FERRETDB_SETUP_PASSWORD",
                        cluster.secret()),
                false);
    }

    @Override
    public boolean serves(Cluster cluster, Node node) {
        MongoAddress address =
                MongoAddress.of(
                        StoreUrl.parse(
                                url(cluster, node) + "&timeout=" + ASK_TIMEOUT.toMillis() + "ms"));
        try (MongoClient client = MongoClients.create(address.settings())) {
            client.getDatabase("admin").runCommand(new Document("ping", 1));
            return true;
        } catch (MongoException notYet) {
            return false;
        }
    }

    /** It waits for its clients to disconnect, which they do not. */
    @Override
    public Duration stopTimeMax() {
        return STOP_TIME;
    }

    @Override
    public String url(Cluster cluster) {
        return url(cluster, cluster.first());
    }

    private static String url(Cluster cluster, Node node) {
        return "mongodb://%s:%s@%s:%d/petrichor?%s=%s"
                .formatted(
                        USER,
                        cluster.secret(),
                        node.address(),
                        node.port(PORT),
                        MongoAddress.FERRETDB,
                        MongoAddress.ONE_SERVER);
    }
}
