package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.kv.StoreUrl;
import petrichor.rpc.PeerCertificates;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.ClusterStart;

/**
 * Tests that configurations with which servers could not work together are refused before anything
 * is opened.
 */
final class ClusterStartTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    private static ServerConfig config(String coordination) {
        return ServerConfig.defaults()
                .withStoreUrl(StoreUrl.parse("redis://127.0.0.1/test"))
                .withCluster(
                        new ServerConfig.Cluster(
                                Optional.of(StoreUrl.parse(coordination)),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                LEASE,
                                true));
    }

    private static void assertRefused(ServerConfig config, String why) {
        assertThatThrownBy(() -> ClusterStart.coordination(config))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aStandaloneServerNeedsNoCoordination() {
        assertThat(ClusterStart.coordination(ServerConfig.defaults())).isEmpty();
    }

    @Test
    void theEmbeddedStoreBelongsToOneProcess() {
        ServerConfig shared = config("zookeeper://127.0.0.1/test");
        assertRefused(
                ServerConfig.defaults().withCluster(shared.cluster()),
                "the embedded store serves one process only");
    }

    @Test
    void onlyZooKeeperIsSupported() {
        assertRefused(config("etcd://127.0.0.1/test"), "must start with zookeeper://");
    }

    @Test
    void clientTlsRequiresTlsBetweenServers() {
        assertRefused(
                config("zookeeper://127.0.0.1/test")
                        .withTls(
                                new FrontEndSettings.Tls(
                                        Path.of("certificate.pem"), Path.of("key.pem"))),
                "needs TLS between its servers");
    }

    @Test
    void certificatesReplaceAToken() {
        ServerConfig open =
                config("zookeeper://127.0.0.1:1/test")
                        .withServer(
                                new ServerConfig.Listen("0.0.0.0", 0, true, Duration.ofSeconds(1)))
                        .withTls(
                                new FrontEndSettings.Tls(
                                        Path.of("certificate.pem"), Path.of("key.pem")));
        PeerCertificates.Files files =
                new PeerCertificates.Files(
                        Path.of("server.pem"), Path.of("server-key.pem"), Path.of("ca.pem"));
        ServerConfig.Cluster plain = open.cluster();
        ServerConfig.Cluster encrypted =
                new ServerConfig.Cluster(
                        plain.coordination(),
                        plain.address(),
                        plain.token(),
                        Optional.of(files),
                        plain.lease(),
                        plain.rebalance());
        ClusterStart.require(
                open.withCluster(encrypted).withToken("s3cr3t"),
                plain.coordination().orElseThrow());
    }

    @Test
    void otherAddressesRequireAToken() {
        assertRefused(
                config("zookeeper://127.0.0.1/test")
                        .withServer(
                                new ServerConfig.Listen("0.0.0.0", 0, true, Duration.ofSeconds(1))),
                "needs a cluster.token");
    }

    @Test
    void clientTokensRequireAClusterToken() {
        assertRefused(
                config("zookeeper://127.0.0.1/test").withToken("s3cr3t"), "needs a cluster.token");
    }

    @Test
    void aTokenWithoutACoordinationIsAMistake() {
        assertThatThrownBy(
                        () ->
                                new ServerConfig.Cluster(
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.of("secret"),
                                        Optional.empty(),
                                        LEASE,
                                        true))
                .hasMessageContaining("without cluster.coordination");
    }
}
