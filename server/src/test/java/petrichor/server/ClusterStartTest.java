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

/** Configurations with which servers could not work together: refused before anything is opened. */
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
                                LEASE,
                                true));
    }

    private static void assertRefused(ServerConfig config, String why) {
        assertThatThrownBy(() -> ClusterStart.coordination(config))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aServerThatIsAloneNeedsNoCoordination() {
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
    void onlyZooKeeperIsKnown() {
        assertRefused(config("etcd://127.0.0.1/test"), "must start with zookeeper://");
    }

    @Test
    void serversDoNotSpeakTlsWithEachOther() {
        assertRefused(
                config("zookeeper://127.0.0.1/test")
                        .withTls(
                                new FrontEndSettings.Tls(
                                        Path.of("certificate.pem"), Path.of("key.pem"))),
                "do not support TLS between them yet");
    }

    @Test
    void beyondThisMachineTheyNeedAToken() {
        assertRefused(
                config("zookeeper://127.0.0.1/test")
                        .withServer(
                                new ServerConfig.Listen("0.0.0.0", 0, true, Duration.ofSeconds(1))),
                "needs a cluster.token");
    }

    @Test
    void whereClientsNeedATokenTheServersNeedOneToo() {
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
                                        LEASE,
                                        true))
                .hasMessageContaining("without cluster.coordination");
    }
}
