package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.testkit.MemoryPlugin;
import petrichor.server.config.ConfigKey;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.server.data.StorePlugins;

/** Tests starts while ZooKeeper or the store is unreachable. */
class StartupTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir private Path plugins;

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static ServerConfig config(int port, int zooKeeper, String timeout) {
        return config(
                port,
                timeout,
                Map.of(
                        ConfigKey.STORE_URL,
                        "redis://127.0.0.1/test",
                        ConfigKey.CLUSTER_COORDINATION,
                        "zookeeper://127.0.0.1:" + zooKeeper + "/test"));
    }

    private static ServerConfig config(int port, String timeout, Map<ConfigKey, String> store) {
        Map<ConfigKey, String> flags = new EnumMap<>(store);
        flags.put(ConfigKey.SERVER_HOST, "127.0.0.1");
        flags.put(ConfigKey.SERVER_PORT, "" + port);
        flags.put(ConfigKey.SERVER_START_TIMEOUT, timeout);
        return ServerConfig.of(Settings.read(Optional.empty(), Map.of(), flags));
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
        assertThat(page(port, "/petrichor/v1/apps/demo"))
                .startsWith("503")
                .contains("the server is starting: waiting for ZooKeeper");
        assertThat(lookup(port))
                .startsWith("503")
                .contains("UNAVAILABLE", "the server is starting: waiting for ZooKeeper");
        assertThatThrownBy(() -> start.get(LONG.toSeconds(), TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(Exception.class)
                .hasMessageContaining("did not start within 20.0 s (server.start-timeout)")
                .hasMessageContaining("ZooKeeper at 127.0.0.1:");
        assertThat(page(port, "/livez")).as("the port is given back").startsWith("none");
    }

    @Test
    void aServerWhoseStoreAnswersLaterReportsWhatItWaitsForAndGetsReady() throws Exception {
        MemoryPlugin.install(plugins);
        System.setProperty(StorePlugins.FOLDER_PROPERTY, plugins.toString());
        int port = freePort();
        int away = closedPort();
        ServerConfig config =
                config(
                        port,
                        "10m",
                        Map.of(ConfigKey.STORE_URL, "memory://127.0.0.1:" + away + "/late"));
        String reason = "waiting for the store memory://127.0.0.1:" + away + "/late (the store ";
        try (Lines lines = new Lines()) {
            CompletableFuture<Server> start =
                    CompletableFuture.supplyAsync(() -> Server.start(config));
            Wait.until("the reason is printed", LONG, () -> lines.any(reason) || start.isDone());
            String notReady = page(port, "/readyz");
            assertThat(notReady).startsWith("503").contains("[-]startup " + reason);
            assertThat(lines.printed).anyMatch(line -> line.endsWith("; retrying for up to 600 s"));
            try (ServerSocket _ = new ServerSocket(away, 1, InetAddress.getLoopbackAddress());
                    TestServer server = TestServer.of(start.get(1, TimeUnit.MINUTES))) {
                assertThat(page(port, "/readyz")).startsWith("200");
                server.put("p", "first", 1);
                assertThat(server.get("p", "first")).hasValue(1);
            }
        } finally {
            System.clearProperty(StorePlugins.FOLDER_PROPERTY);
        }
    }

    /** The log of starts. */
    private static final class Lines extends Handler implements AutoCloseable {
        private final Logger log = Logger.getLogger(Startup.class.getName());
        private final List<String> printed = new CopyOnWriteArrayList<>();

        Lines() {
            log.addHandler(this);
        }

        boolean any(String part) {
            return printed.stream().anyMatch(line -> line.contains(part));
        }

        @Override
        public void publish(LogRecord line) {
            printed.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            log.removeHandler(this);
        }
    }

    /** The error is that of the first attempt, not that of a start that took too long. */
    @Test
    void permanentFailuresEndTheStartAtOnce() throws Exception {
        ServerConfig config =
                config(0, closedPort(), "5s")
                        .withCluster(ServerConfig.defaults().cluster())
                        .withStoreUrl(petrichor.kv.StoreUrl.parse("nosuchstore://127.0.0.1/x"));
        assertThatThrownBy(() -> Server.start(config))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    /** Otherwise an operator would wait for a store, and see this error only afterwards. */
    @Test
    void aPortInUseEndsAStartThatWaits() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ServerConfig config = config(taken.getLocalPort(), closedPort(), "20s");
            assertThatThrownBy(() -> Server.start(config).close())
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("" + taken.getLocalPort())
                    .hasMessageNotContaining("did not start within");
        }
    }

    private static int closedPort() {
        try {
            return freePort();
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    private static String page(int port, String path) {
        return send(request(port, path).build());
    }

    private static String lookup(int port) {
        String key = "{\"keys\": [{\"path\": [{\"kind\": \"K\", \"name\": \"n\"}]}]}";
        return send(
                request(port, "/v1/projects/p:lookup")
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(key))
                        .build());
    }

    private static HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(LONG);
    }

    private static String send(HttpRequest request) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (java.io.IOException refused) {
            return "none: " + refused;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
