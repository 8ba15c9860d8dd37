package petrichor.kv.jdbc;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.ChangedDeployment;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.TestCertificates;
import petrichor.kv.testkit.TlsConformance;

/** A real MariaDB whose user must present a certificate over TLS. */
class MariaDbTlsTest implements TlsConformance {
    private static final TestCertificates CERTIFICATES = TestCertificates.make();

    private static RealStore server;

    @BeforeAll
    static void startServer() {
        StoreDeployment usual = new MariaDbDeployment();
        server =
                RealStore.start(
                        new ChangedDeployment(
                                usual,
                                Map.of(),
                                (node, recipe) ->
                                        ChangedDeployment.with(
                                                ChangedDeployment.with(
                                                        recipe,
                                                        "my.cnf",
                                                        """

                                                        ssl-cert = %1$s/tls/server.pem
                                                        ssl-key = %1$s/tls/server.key
                                                        ssl-ca = %1$s/tls/authority.pem
                                                        """
                                                                .formatted(node.folder()),
                                                        CERTIFICATES.files()),
                                                "users.sql",
                                                """
                                                CREATE USER IF NOT EXISTS 'shown'@'%' IDENTIFIED BY 'shown' REQUIRE X509;
                                                GRANT ALL PRIVILEGES ON `petrichor%`.* TO 'shown'@'%';
                                                """,
                                                Map.of()),
                                cluster ->
                                        usual.url(cluster)
                                                .replace(
                                                        "petrichor:" + cluster.secret() + "@",
                                                        "shown:shown@")),
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
        return new JdbcPlugin().open(url);
    }

    @Override
    public boolean wantsClientCertificates() {
        return true;
    }
}
