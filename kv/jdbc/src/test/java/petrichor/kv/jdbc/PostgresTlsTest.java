package petrichor.kv.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.ChangedDeployment;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.TestCertificates;
import petrichor.kv.testkit.TlsConformance;

/** A real PostgreSQL that requires client certificates over TLS. */
class PostgresTlsTest implements TlsConformance {
    private static final TestCertificates CERTIFICATES = TestCertificates.make();

    private static RealStore server;

    @BeforeAll
    static void startServer() {
        StoreDeployment usual = new PostgresDeployment();
        server =
                RealStore.start(
                        new ChangedDeployment(
                                usual, Map.of(), PostgresTlsTest::encrypted, usual::url),
                        1);
    }

    private static NodeRecipe encrypted(Node node, NodeRecipe recipe) {
        Map<String, String> files = new TreeMap<>(recipe.files());
        files.putAll(CERTIFICATES.files());
        files.put(
                "pg_hba.conf",
                """
                hostssl all all all scram-sha-256 clientcert=verify-ca
                hostnossl all all all scram-sha-256
                """);
        List<String> command = new ArrayList<>(recipe.command());
        for (String setting :
                List.of(
                        "ssl=on",
                        "ssl_cert_file=" + node.folder().resolve("tls/server.pem"),
                        "ssl_key_file=" + node.folder().resolve("tls/server.key"),
                        "ssl_ca_file=" + node.folder().resolve("tls/authority.pem"))) {
            command.add("-c");
            command.add(setting);
        }
        return new NodeRecipe(
                files, recipe.preparation(), command, recipe.environment(), recipe.unprivileged());
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
        return StoreUrl.parse(server.url() + "?" + options);
    }

    @Override
    public KeyValueStore open(StoreUrl url) {
        return new JdbcPlugin().open(url);
    }

    @Override
    public boolean wantsClientCertificates() {
        return true;
    }
}
