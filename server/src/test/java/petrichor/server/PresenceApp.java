package petrichor.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import petrichor.server.config.ConfigKey;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** The HTTP server of an app; keeps what Petrichor posts to it. */
final class PresenceApp implements AutoCloseable {
    private static final long WITHIN_S = 60;

    private final HttpServer server;
    private final BlockingQueue<String> posts = new LinkedBlockingQueue<>();

    private PresenceApp(HttpServer server) {
        this.server = server;
    }

    static PresenceApp start() {
        try {
            HttpServer server =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            PresenceApp app = new PresenceApp(server);
            server.createContext("/", app::answer);
            server.start();
            return app;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        assertThat(exchange.getRequestHeaders().getFirst("X-Appengine-Api-Ticket"))
                .startsWith("ticket.");
        posts.add(
                exchange.getRequestMethod()
                        + " "
                        + exchange.getRequestURI().getPath()
                        + " "
                        + exchange.getRequestHeaders().getFirst("Content-Type")
                        + " "
                        + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    /** The configuration of a server in memory that knows this app under the name. */
    ServerConfig config(String project) {
        return ServerConfig.of(
                        Settings.read(
                                Optional.empty(),
                                Map.of(),
                                Map.of(
                                        ConfigKey.APPS_TARGETS,
                                        project
                                                + "=http://127.0.0.1:"
                                                + server.getAddress().getPort())))
                .withMemory()
                .withPort(0);
    }

    String next() throws InterruptedException {
        String next = posts.poll(WITHIN_S, TimeUnit.SECONDS);
        assertThat(next).as("within %d s", WITHIN_S).isNotNull();
        return next;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
