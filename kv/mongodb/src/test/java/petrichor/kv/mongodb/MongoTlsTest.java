package petrichor.kv.mongodb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.ChangedDeployment;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.TestCertificates;
import petrichor.kv.testkit.TlsConformance;

/** A real FerretDB with a TLS port that requires client certificates. */
@Tag("slow")
class MongoTlsTest implements TlsConformance {
    private static final String PORT = "tls";

    private static final TestCertificates CERTIFICATES = TestCertificates.make();

    private static RealStore server;

    @BeforeAll
    static void startServer() {
        server =
                RealStore.start(
                        new ChangedDeployment(
                                new MongoDeployment(),
                                Map.of(PORT, 27_117),
                                MongoTlsTest::encrypted,
                                cluster ->
                                        "mongodb://petrichor:%s@127.0.0.1:%d/petrichor?ferretdb=one-server"
                                                .formatted(
                                                        cluster.secret(),
                                                        cluster.first().port(PORT))),
                        1);
    }

    private static NodeRecipe encrypted(Node node, NodeRecipe recipe) {
        List<String> command = new ArrayList<>(recipe.command());
        command.addAll(
                List.of(
                        "--listen-tls=" + node.address() + ":" + node.port(PORT),
                        "--listen-tls-cert-file=" + node.folder().resolve("tls/server.pem"),
                        "--listen-tls-key-file=" + node.folder().resolve("tls/server.key"),
                        "--listen-tls-ca-file=" + node.folder().resolve("tls/authority.pem")));
        return new NodeRecipe(
                CERTIFICATES.files(),
                recipe.preparation(),
                command,
                recipe.environment(),
                recipe.unprivileged());
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    public TestCertificates certificates() {
        return CERTIFICATES;
    }

    @Override
    public StoreUrl address(String options) {
        return StoreUrl.parse(server.url() + "&" + options);
    }

    @Override
    public KeyValueStore open(StoreUrl url) {
        return new MongoPlugin().open(url);
    }

    @Override
    public boolean wantsClientCertificates() {
        return true;
    }
}
