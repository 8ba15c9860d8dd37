package petrichor.kv.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.ChangedDeployment;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.TestCertificates;

/** A real HBase that accepts TLS and plain connections on the same port. */
@Timeout(300)
@Tag("slow")
class HBaseTlsTest {
    private static final TestCertificates CERTIFICATES = TestCertificates.forLocalhost();

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
                                                "hbase.server.netty.tls.client.auth.mode", "NEED")
                                        // The client's certificate names no host.
                                        + property(
                                                "hbase.server.netty.tls.verify.client.hostname",
                                                "false")
                                        + property(
                                                "hbase.rpc.tls.keystore.location",
                                                node.folder().resolve("tls/both.pem").toString())
                                        + property("hbase.rpc.tls.keystore.type", "PEM")
                                        + property(
                                                "hbase.rpc.tls.truststore.location",
                                                node.folder()
                                                        .resolve("tls/authority.pem")
                                                        .toString())
                                        + property("hbase.rpc.tls.truststore.type", "PEM")
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

    private static KeyValueStore open(String host, String options) {
        String url = server.url().replace("127.0.0.1", host);
        return new HBasePlugin().open(StoreUrl.parse(url + "?" + options));
    }

    @Test
    void rowsTravelOverTlsToServersThatRequireAClientCertificate() {
        // The master has registered its address, and the certificate names localhost.
        String options = CERTIFICATES.optionsWithOneFile() + "&tls-verify-host=off&timeout=60s";
        try (KeyValueStore store = open("localhost", options)) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            assertThat(value(store, "a")).isEqualTo("1");
        }
    }

    @Test
    void certificateForAnotherHostIsRefused() {
        String options = CERTIFICATES.optionsWithOneFile() + "&timeout=60s";
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> open("127.0.0.1", options).close()))
                .contains("does not name the host");
        open("127.0.0.1", options + "&tls-verify-host=off").close();
    }

    @Test
    void aClientWithoutACertificateIsRefused() {
        assertThatThrownBy(
                        () ->
                                open("localhost", CERTIFICATES.trustOptions() + "&timeout=10s")
                                        .close())
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void certificateOfAnUnknownAuthorityIsRefused() {
        String options = "tls=on&tls-trust=" + CERTIFICATES.stranger();
        assertThat(
                        failure(
                                ErrorCode.FAILED_PRECONDITION,
                                () -> open("localhost", options + "&timeout=60s").close()))
                .contains("certificate is not trusted");
    }
}
