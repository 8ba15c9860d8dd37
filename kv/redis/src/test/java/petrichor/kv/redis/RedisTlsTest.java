package petrichor.kv.redis;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.ChangedDeployment;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.TestCertificates;
import petrichor.kv.testkit.TlsConformance;

/** A real Redis with a TLS port that requires client certificates. */
class RedisTlsTest implements TlsConformance {
    private static final String PORT = "tls";

    private static final TestCertificates CERTIFICATES = TestCertificates.make();

    private static RealStore server;

    @BeforeAll
    static void startServer() {
        server =
                RealStore.start(
                        new ChangedDeployment(
                                new RedisDeployment(),
                                Map.of(PORT, 6390),
                                (node, recipe) ->
                                        ChangedDeployment.with(
                                                recipe,
                                                "redis.conf",
                                                """

                                                tls-port %1$d
                                                tls-cert-file %2$s/tls/server.pem
                                                tls-key-file %2$s/tls/server.key
                                                tls-ca-cert-file %2$s/tls/authority.pem
                                                tls-auth-clients yes
                                                """
                                                        .formatted(node.port(PORT), node.folder()),
                                                CERTIFICATES.files()),
                                cluster ->
                                        "redis://default:%s@127.0.0.1:%d/petrichor"
                                                .formatted(
                                                        cluster.secret(),
                                                        cluster.first().port(PORT))),
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
        return new RedisPlugin().open(url);
    }

    @Override
    public boolean wantsClientCertificates() {
        return true;
    }
}
