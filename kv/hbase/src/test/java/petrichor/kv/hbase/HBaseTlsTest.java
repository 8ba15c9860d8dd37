package petrichor.kv.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.deployment.Node;
import petrichor.kv.deployment.NodeRecipe;
import petrichor.kv.deployment.StoreDeployment;
import petrichor.kv.testkit.ChangedDeployment;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.TestCertificates;

/** A real HBase that takes TLS and plain connections on the same port. */
@Timeout(300)
class HBaseTlsTest {
    private static final TestCertificates CERTIFICATES = TestCertificates.make();

    private static RealStore server;

    @BeforeAll
    static void startServer() {
        StoreDeployment usual = new HBaseDeployment();
        server =
                RealStore.start(
                        new ChangedDeployment(usual, Map.of(), HBaseTlsTest::encrypted, usual::url),
                        1);
    }

    private static NodeRecipe encrypted(Node node, NodeRecipe recipe) {
        Map<String, String> files = new TreeMap<>(recipe.files());
        files.putAll(CERTIFICATES.files());
        files.computeIfPresent(
                "conf/hbase-site.xml",
                (_, site) ->
                        site.replace(
                                "</configuration>",
                                property("hbase.server.netty.tls.enabled", "true")
                                        + property(
                                                "hbase.server.netty.tls.supportplaintext", "true")
                                        + property(
                                                "hbase.server.netty.tls.client.auth.mode", "NONE")
                                        + property(
                                                "hbase.rpc.tls.keystore.location",
                                                node.folder().resolve("tls/both.pem").toString())
                                        + property("hbase.rpc.tls.keystore.type", "PEM")
                                        + "</configuration>"));
        return new NodeRecipe(
                files,
                recipe.preparation(),
                recipe.command(),
                recipe.environment(),
                recipe.unprivileged());
    }

    private static String property(String name, String value) {
        return "<property><name>" + name + "</name><value>" + value + "</value></property>\n";
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static KeyValueStore open(String options) {
        return new HBasePlugin().open(StoreUrl.parse(server.url() + "?" + options));
    }

    @Test
    void rowsTravelOverTls() {
        // The servers call themselves localhost, and the certificate names their address.
        try (KeyValueStore store =
                open(CERTIFICATES.trustOptions() + "&tls-verify-host=off&timeout=60s")) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            assertThat(value(store, "a")).isEqualTo("1");
        }
    }

    @Test
    void certificateOfAnUnknownAuthorityIsRefused() {
        String options = "tls=on&tls-trust=" + CERTIFICATES.stranger();
        assertThat(
                        failure(
                                ErrorCode.FAILED_PRECONDITION,
                                () -> open(options + "&timeout=60s").close()))
                .contains("certificate is not trusted");
    }
}
