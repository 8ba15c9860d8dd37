package petrichor.coordination.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.Ledger.Change;
import petrichor.coordination.Ledger.Place;
import petrichor.kv.StoreTls;
import petrichor.kv.testkit.ChangedDeployment;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.TestCertificates;

/** A real ZooKeeper whose TLS port requires client certificates. */
@Timeout(240)
class TlsTest {
    private static final String PORT = "tls";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final TestCertificates CERTIFICATES = TestCertificates.make();

    private static RealStore server;

    @BeforeAll
    static void startServer() {
        server =
                RealStore.start(
                        new ChangedDeployment(
                                new ZooKeeperDeployment(),
                                Map.of(PORT, 2281),
                                (node, recipe) ->
                                        ChangedDeployment.with(
                                                recipe,
                                                "zoo.cfg",
                                                """
                                                secureClientPort=%1$d
                                                secureClientPortAddress=127.0.0.1
                                                serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
                                                ssl.keyStore.location=%2$s/tls/both.pem
                                                ssl.keyStore.type=PEM
                                                ssl.trustStore.location=%2$s/tls/authority.pem
                                                ssl.trustStore.type=PEM
                                                ssl.clientAuth=need
                                                ssl.clientHostnameVerification=false
                                                """
                                                        .formatted(node.port(PORT), node.folder()),
                                                CERTIFICATES.files()),
                                cluster -> "127.0.0.1:" + cluster.first().port(PORT)),
                        1);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static StoreTls tls(Path trust, boolean verifyHost) {
        Path folder = CERTIFICATES.folder();
        return new StoreTls(
                Optional.of(trust),
                Optional.of(folder.resolve("client.pem")),
                Optional.of(folder.resolve("client.key")),
                verifyHost);
    }

    private static ZooKeeperLedger open(String servers, StoreTls tls) {
        return ZooKeeperLedger.open(servers, "tests", TIMEOUT, Optional.empty(), Optional.of(tls));
    }

    @Test
    void entriesTravelOverTls() {
        try (ZooKeeperLedger ledger = open(server.url(), tls(CERTIFICATES.authority(), true))) {
            Place place = new Place("values", "over-tls");
            assertThat(ledger.change(List.of(new Change.Create(place, new byte[] {1})))).isTrue();
            assertThat(ledger.read(place)).isPresent();
        }
        String named = server.url().replace("127.0.0.1", "localhost");
        open(named, tls(CERTIFICATES.authority(), false)).close();
    }

    @Test
    void wrongCertificatesAreReportedImmediately() {
        assertThatThrownBy(() -> open(server.url(), tls(CERTIFICATES.stranger(), true)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                .hasMessageContaining("certificate is not trusted");
        String named = server.url().replace("127.0.0.1", "localhost");
        assertThatThrownBy(() -> open(named, tls(CERTIFICATES.authority(), true)))
                .hasMessageContaining("does not name the host");
    }
}
