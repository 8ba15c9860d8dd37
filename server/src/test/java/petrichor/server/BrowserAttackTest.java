package petrichor.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a page of another site, in a real browser on this machine, cannot write, reset or
 * stop.
 */
class BrowserAttackTest {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final int BROWSER_WITHIN_S = 120;

    @TempDir Path profile;

    @Test
    void aPageOfAnotherSiteNeitherWritesNorWipesNorStops() throws Exception {
        assumeTrue(Files.isExecutable(CHROMIUM), "NOT TESTED: attacks of a page need " + CHROMIUM);
        try (TestServer server = TestServer.start()) {
            HttpServer site = site(server.port());
            site.start();
            try {
                String page = visited("http://evil.example:" + site.getAddress().getPort() + "/");
                assertThat(page).contains("attempted").contains("/shutdown");
                // After DNS rebinding the name of the page's own site resolves to the server's
                // address.
                assertThat(visited("http://evil.example:" + server.port() + "/metrics"))
                        .contains("not a name of this server");
            } finally {
                site.stop(0);
            }
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
            assertThat(
                            server.post(
                                            "/v1/projects/demo:lookup",
                                            "{\"keys\":[{\"path\":[{\"kind\":\"FromBrowser\","
                                                    + "\"name\":\"x\"}]}]}")
                                    .body())
                    .contains("missing")
                    .doesNotContain("found");
            assertThat(server.post("/v1/projects/demo:lookup", kept()).body()).contains("found");
        }
    }

    private static String kept() {
        return "{\"keys\":[{\"path\":[{\"kind\":\"Kept\",\"name\":\"x\"}]}]}";
    }

    private static HttpServer site(int victim) throws IOException {
        put(victim);
        HttpServer site =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (var page =
                Objects.requireNonNull(
                        BrowserAttackTest.class.getResourceAsStream("attack.html"))) {
            byte[] html =
                    new String(page.readAllBytes(), UTF_8)
                            .replace("VICTIM", String.valueOf(victim))
                            .getBytes(UTF_8);
            site.createContext(
                    "/",
                    exchange -> {
                        exchange.getResponseHeaders().set("Content-Type", "text/html");
                        exchange.sendResponseHeaders(200, html.length);
                        exchange.getResponseBody().write(html);
                        exchange.close();
                    });
        }
        return site;
    }

    private static void put(int port) throws IOException {
        try (var http = java.net.http.HttpClient.newHttpClient()) {
            var answer =
                    http.send(
                            java.net.http.HttpRequest.newBuilder(
                                            java.net.URI.create(
                                                    "http://localhost:"
                                                            + port
                                                            + "/v1/projects/demo:commit"))
                                    .header("Content-Type", "application/json")
                                    .POST(
                                            java.net.http.HttpRequest.BodyPublishers.ofString(
                                                    "{\"mode\":\"NON_TRANSACTIONAL\",\"mutations\":"
                                                        + "[{\"upsert\":{\"key\":{\"path\":[{\"kind\":"
                                                        + "\"Kept\",\"name\":\"x\"}]}}}]}"))
                                    .build(),
                            java.net.http.HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** Returns the page after its script has ended. */
    private String visited(String address) throws IOException, InterruptedException {
        Path output = profile.resolve("page.html");
        Process browser =
                new ProcessBuilder(
                                CHROMIUM.toString(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--user-data-dir=" + profile.resolve("profile"),
                                "--host-resolver-rules=MAP *.example 127.0.0.1",
                                "--virtual-time-budget=20000",
                                "--dump-dom",
                                address)
                        .redirectOutput(output.toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            assertThat(browser.waitFor(BROWSER_WITHIN_S, TimeUnit.SECONDS)).isTrue();
            return Files.readString(output);
        } finally {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly();
        }
    }
}
