package petrichor.services.fetch;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;

/** A real HTTP server on loopback: what it does depends on the path. */
final class EchoServer implements AutoCloseable {
    static final int BOMB_BYTES = 1 << 30;

    final AtomicInteger requests = new AtomicInteger();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private EchoServer(HttpServer server) {
        this.server = server;
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    static EchoServer start() {
        try {
            return new EchoServer(HttpServer.create(anyPort(), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static EchoServer startTls(SSLContext context) {
        try {
            HttpsServer server = HttpsServer.create(anyPort(), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(context));
            return new EchoServer(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url(String path) {
        return "http://server.example:" + port() + path;
    }

    private void answer(HttpExchange exchange) throws IOException {
        requests.incrementAndGet();
        String path = exchange.getRequestURI().getPath();
        String query = exchange.getRequestURI().getRawQuery();
        try (exchange) {
            switch (path) {
                case "/redirect" -> {
                    String[] parts = query.split(",", 2);
                    exchange.getResponseHeaders().set("Location", parts[1]);
                    exchange.sendResponseHeaders(Integer.parseInt(parts[0]), -1);
                }
                case "/loop" -> {
                    exchange.getResponseHeaders().set("Location", "/loop");
                    exchange.sendResponseHeaders(302, -1);
                }
                case "/nowhere" -> exchange.sendResponseHeaders(302, -1);
                case "/bytes" -> write(exchange, new byte[Integer.parseInt(query)]);
                case "/gzip" -> {
                    exchange.getResponseHeaders().set("Content-Encoding", "gzip");
                    write(exchange, gzip("compressed".getBytes(StandardCharsets.UTF_8)));
                }
                case "/notgzip" -> {
                    exchange.getResponseHeaders().set("Content-Encoding", "gzip");
                    write(exchange, "plain".getBytes(StandardCharsets.UTF_8));
                }
                case "/bomb" -> bomb(exchange);
                case "/status" -> exchange.sendResponseHeaders(Integer.parseInt(query), -1);
                default -> echo(exchange);
            }
        }
    }

    private static void echo(HttpExchange exchange) throws IOException {
        StringBuilder echo = new StringBuilder();
        echo.append(exchange.getRequestMethod())
                .append(' ')
                .append(exchange.getRequestURI())
                .append('\n');
        exchange.getRequestHeaders()
                .forEach(
                        (name, values) ->
                                values.forEach(
                                        value ->
                                                echo.append(name.toLowerCase(Locale.ROOT))
                                                        .append(": ")
                                                        .append(value)
                                                        .append('\n')));
        echo.append('\n');
        echo.append(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        exchange.getResponseHeaders().add("X-Twice", "one");
        exchange.getResponseHeaders().add("X-Twice", "two");
        write(exchange, echo.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void write(HttpExchange exchange, byte[] body) throws IOException {
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(200, head || body.length == 0 ? -1 : body.length);
        if (!head && body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    private static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(content);
        }
        return compressed.toByteArray();
    }

    private static void bomb(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Encoding", "gzip");
        exchange.sendResponseHeaders(200, 0);
        byte[] zeros = new byte[1 << 20];
        try (OutputStream gzip = new GZIPOutputStream(exchange.getResponseBody())) {
            for (int written = 0; written < BOMB_BYTES; written += zeros.length) {
                gzip.write(zeros);
            }
        } catch (IOException e) {
            // The client has closed the connection.
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
