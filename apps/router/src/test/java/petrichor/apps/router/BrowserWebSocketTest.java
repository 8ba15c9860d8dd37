package petrichor.apps.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.router.log.RequestLog;
import petrichor.apps.router.tls.DevelopmentAuthority;
import petrichor.apps.router.tls.RouterCertificates;
import petrichor.testing.process.RunningProcess;

/**
 * A page over HTTP/2 in Chromium. The router does not announce WebSockets over HTTP/2 (RFC 8441),
 * so the browser must open a connection of HTTP/1.1 for them.
 */
final class BrowserWebSocketTest {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final int WITHIN_S = 120;
    private static final String PAGE =
            """
            <!DOCTYPE html><meta charset="utf-8"><script>
            const protocol = performance.getEntriesByType("navigation")[0].nextHopProtocol;
            const report = text => fetch("/report/" + encodeURIComponent(protocol + " " + text));
            const socket = new WebSocket("wss://" + location.host + "/socket");
            socket.onopen = () => socket.send("hello");
            socket.onmessage = event => report(event.data);
            socket.onerror = () => report("error");
            </script>
            """;

    private final BlockingQueue<String> reports = new LinkedBlockingQueue<>();

    private boolean answer(TestInstance.Request request, InputStream in, OutputStream out)
            throws IOException {
        if (request.path().equals("/socket")) {
            return WebSocketTest.echo(request, in, out);
        }
        if (request.path().startsWith("/report/")) {
            reports.add(request.path());
        }
        byte[] page = PAGE.getBytes(StandardCharsets.UTF_8);
        TestInstance.raw(
                out,
                TestInstance.head(
                        "HTTP/1.1 200 OK",
                        "Content-Type: text/html",
                        "Content-Length: " + page.length));
        out.write(page);
        out.flush();
        return true;
    }

    @Test
    @Timeout(300)
    void aPageOverHttp2OpensAWebSocket(@TempDir Path folder) throws Exception {
        if (System.getenv("CI") == null) {
            assumeTrue(Files.isExecutable(CHROMIUM), "NOT TESTED: pages need " + CHROMIUM);
        }
        DevelopmentAuthority authority = DevelopmentAuthority.openOrCreate(folder.resolve("tls"));
        RouterCertificates certificates =
                RouterCertificates.open(
                        List.of(authority.issue("localhost", List.of("localhost"))));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (TestRouter router =
                TestRouter.open(
                        settings ->
                                new RouterSettings(
                                        List.of(RouterSettings.Listener.https(any)),
                                        2,
                                        8443,
                                        settings.platformToken(),
                                        settings.limits()),
                        plain ->
                                new AppRouter.Surroundings(
                                        plain.backends(),
                                        plain.headers(),
                                        plain.visitors(),
                                        RequestLog.NONE,
                                        certificates,
                                        plain.sources()))) {
            router.instance("i1", this::answer);
            ProcessBuilder browser =
                    new ProcessBuilder(
                                    CHROMIUM.toString(),
                                    "--headless",
                                    "--no-sandbox",
                                    "--disable-gpu",
                                    "--ignore-certificate-errors",
                                    "--remote-debugging-port=0", // keeps it running
                                    "--user-data-dir=" + folder.resolve("profile"),
                                    "https://localhost:" + router.address().getPort() + "/")
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD);
            try (RunningProcess running = RunningProcess.start(browser)) {
                try {
                    assertThat(reports.poll(WITHIN_S, TimeUnit.SECONDS))
                            .isEqualTo("/report/h2%20hello");
                } finally {
                    running.process().descendants().forEach(ProcessHandle::destroyForcibly);
                }
            }
        }
    }
}
