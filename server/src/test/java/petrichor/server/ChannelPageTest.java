package petrichor.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.server.config.ServerConfig;

/** The JavaScript client of channels in a real browser, in a page of an app. */
final class ChannelPageTest {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final int WITHIN_S = 120;

    @TempDir Path folder;

    private final BlockingQueue<String> reports = new LinkedBlockingQueue<>();
    private TestServer server = TestServer.start();
    private @Nullable HttpServer site;
    private @Nullable Process browser;

    @BeforeEach
    void needsABrowser() {
        if (System.getenv("CI") == null) {
            assumeTrue(Files.isExecutable(CHROMIUM), "NOT TESTED: pages need " + CHROMIUM);
        }
    }

    @AfterEach
    void close() throws InterruptedException {
        if (browser != null) {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly().waitFor();
        }
        if (site != null) {
            site.stop(0);
        }
        server.close();
    }

    private ChannelApp app() {
        return new ChannelApp(server, "demo");
    }

    @Test
    void aPageGetsMessagesAndCloses() throws Exception {
        visit("token=" + app().create("ann"));
        assertThat(next()).isEqualTo("open 1");
        app().send("ann", "hello, ‘world’\nand more");
        assertThat(next()).isEqualTo("message hello, ‘world’\nand more");
        app().send("ann", "please leave");
        assertThat(next()).isEqualTo("message please leave");
        assertThat(next()).isEqualTo("close 3");
        server.awaitMetrics("petrichor_channel_connections 0.0");
    }

    @Test
    void aPageWithoutWebSocketsGetsEvents() throws Exception {
        visit("without-sockets&token=" + app().create("ann"));
        assertThat(next()).isEqualTo("open 1");
        app().send("ann", "hello, ‘world’\nand more");
        assertThat(next()).isEqualTo("message hello, ‘world’\nand more");
        app().send("ann", "please leave");
        assertThat(next()).isEqualTo("message please leave");
        assertThat(next()).isEqualTo("close 3");
        server.awaitMetrics("petrichor_channel_connections 0.0");
    }

    @Test
    void anInvalidTokenIsAnError() throws Exception {
        visit("token=invalid");
        assertThat(next()).isEqualTo("error 401 Invalid+token.");
        assertThat(next()).isEqualTo("close 3");
    }

    @Test
    void anInvalidTokenIsAnErrorWithoutWebSocketsToo() throws Exception {
        visit("without-sockets&token=invalid");
        assertThat(next()).isEqualTo("error 401 Invalid+token.");
        assertThat(next()).isEqualTo("close 3");
    }

    @Test
    void aSecondPageEndsTheFirst() throws Exception {
        String token = app().create("ann");
        visit("token=" + token);
        assertThat(next()).isEqualTo("open 1");
        try (ChannelClient second = ChannelClient.socket(server, token)) {
            assertThat(next()).startsWith("error 409 ");
            assertThat(next()).isEqualTo("close 3");
            assertThat(second.hasNothing()).isTrue();
        }
    }

    /** The page does not notice, and its token stays valid. */
    @Test
    void aPageConnectsAgainAfterARestart() throws Exception {
        server.close();
        Path data = folder.resolve("data");
        server = TestServer.start(_ -> ServerConfig.defaults().withData(data).withPort(0));
        int port = server.port();
        visit("token=" + app().create("ann"));
        assertThat(next()).isEqualTo("open 1");
        server.close();
        server = TestServer.start(_ -> ServerConfig.defaults().withData(data).withPort(port));
        app().send("ann", "after the restart");
        assertThat(next()).isEqualTo("message after the restart");
    }

    private String next() throws InterruptedException {
        String next = reports.poll(WITHIN_S, TimeUnit.SECONDS);
        assertThat(next).as("within %d s", WITHIN_S).isNotNull();
        return next;
    }

    private void visit(String query) throws IOException {
        HttpServer app =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        site = app;
        app.createContext("/", this::page);
        app.createContext("/report", this::report);
        app.start();
        browser =
                new ProcessBuilder(
                                CHROMIUM.toString(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--remote-debugging-port=0", // keeps it running
                                "--user-data-dir=" + folder.resolve("profile"),
                                "http://127.0.0.1:" + app.getAddress().getPort() + "/?" + query)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
    }

    private void page(HttpExchange exchange) throws IOException {
        try (InputStream file =
                Objects.requireNonNull(ChannelPageTest.class.getResourceAsStream("channel.html"))) {
            byte[] html =
                    new String(file.readAllBytes(), UTF_8)
                            .replace("PORT", String.valueOf(server.port()))
                            .getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
            exchange.sendResponseHeaders(200, html.length);
            exchange.getResponseBody().write(html);
            exchange.close();
        }
    }

    private void report(HttpExchange exchange) throws IOException {
        reports.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
    }
}
