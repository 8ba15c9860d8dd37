package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.testkit.Wait;

/** Tests starts while ZooKeeper is unreachable. */
class StartupTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static ServerConfig config(int port, int zooKeeper, String timeout) {
        return ServerConfig.of(
                Settings.read(
                        Optional.empty(),
                        Map.of(),
                        Map.of(
                                ConfigKey.SERVER_HOST,
                                "127.0.0.1",
                                ConfigKey.SERVER_PORT,
                                "" + port,
                                ConfigKey.SERVER_START_TIMEOUT,
                                timeout,
                                ConfigKey.STORE_URL,
                                "redis://127.0.0.1/test",
                                ConfigKey.CLUSTER_COORDINATION,
                                "zookeeper://127.0.0.1:" + zooKeeper + "/test")));
    }

    @Test
    void aWaitingServerIsLiveNotReadyAndReportsTheReason() throws Exception {
        int port = freePort();
        AtomicReference<String> seen = new AtomicReference<>("");
        CompletableFuture<Void> start =
                CompletableFuture.runAsync(
                        () -> Server.start(config(port, closedPort(), "20s")).close());
        Wait.until(
                "the server that waits answers",
                LONG,
                () -> {
                    seen.set(page(port, "/readyz"));
                    return seen.get().startsWith("503") || start.isDone();
                });
        assertThat(seen.get())
                .contains("[-]startup waiting for ZooKeeper at zookeeper://127.0.0.1");
        assertThat(page(port, "/livez")).startsWith("200");
        assertThat(page(port, "/v1/projects/p:lookup")).doesNotStartWith("200");
        assertThatThrownBy(start::join)
                .hasRootCauseInstanceOf(Exception.class)
                .hasMessageContaining("did not start within 20.0 s (server.start-timeout)")
                .hasMessageContaining("ZooKeeper at 127.0.0.1:");
        assertThat(page(port, "/livez")).as("the port is given back").startsWith("none");
    }

    @Test
    void permanentFailuresEndTheStartAtOnce() throws Exception {
        ServerConfig config =
                config(0, closedPort(), "10m")
                        .withCluster(ServerConfig.defaults().cluster())
                        .withStoreUrl(petrichor.kv.StoreUrl.parse("nosuchstore://127.0.0.1/x"));
        assertThatThrownBy(() -> Server.start(config))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    private static int closedPort() {
        try {
            return freePort();
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    private static String page(int port, String path) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer =
                    client.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                    .timeout(LONG)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (java.io.IOException refused) {
            return "none: " + refused;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
