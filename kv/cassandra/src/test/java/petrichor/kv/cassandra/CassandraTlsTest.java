package petrichor.kv.cassandra;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.ChangedDeployment;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.TestCertificates;
import petrichor.kv.testkit.TlsConformance;

/**
 * A real Cassandra that accepts TLS and plain connections, and requires client certificates over
 * TLS.
 */
@Tag("slow")
class CassandraTlsTest implements TlsConformance {
    private static final TestCertificates CERTIFICATES = TestCertificates.make();

    private static RealStore server;

    @BeforeAll
    static void startServer() {
        StoreDeployment usual = new CassandraDeployment();
        server =
                RealStore.start(
                        new ChangedDeployment(
                                usual,
                                Map.of(),
                                (node, recipe) ->
                                        ChangedDeployment.with(
                                                recipe,
                                                "conf/cassandra.yaml",
                                                """
                                                client_encryption_options:
                                                  enabled: true
                                                  optional: true
                                                  require_client_auth: true
                                                  ssl_context_factory:
                                                    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory
                                                  keystore: "%1$s/tls/both.pem"
                                                  truststore: "%1$s/tls/authority.pem"
                                                """
                                                        .formatted(node.folder()),
                                                CERTIFICATES.files()),
                                usual::url),
                        1);
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
        return new CassandraPlugin().open(url);
    }

    @Override
    public boolean wantsClientCertificates() {
        return true;
    }
}
