package petrichor.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.router.tls.CertificateFiles;
import petrichor.apps.router.tls.DevelopmentAuthority;

/** Apps over TLS, with a certificate for development. */
@Timeout(300)
class AppTlsTest {
    private static final Map<String, String> APP =
            Map.of(
                    "app.yaml",
                    """
                    runtime: python
                    entrypoint: python main.py
                    handlers:
                    - url: /secret
                      script: auto
                      secure: always
                    - url: /.*
                      script: auto
                    """,
                    "main.py",
                    """
                    import http.server, os
                    class Handler(http.server.BaseHTTPRequestHandler):
                        def do_GET(self):
                            text = self.headers.get("X-Forwarded-Proto", "").encode()
                            self.send_response(200)
                            self.send_header("Content-Length", str(len(text)))
                            self.end_headers()
                            self.wfile.write(text)
                    http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
                    """);

    @TempDir Path folder;

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    private SSLContext trusting(Path authority) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(authority)) {
            store.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        return tls;
    }

    @Test
    void appsAreServedOverTls() throws Exception {
        int port = freePort();
        try (HostingServer server =
                HostingServer.in(
                        folder, Map.of("PETRICHOR_APPS__TLS_PORT", Integer.toString(port)))) {
            JsonObject answered = server.deploy("project=demo&version=v1", APP);
            assertThat(answered.has("deployed")).as(answered.toString()).isTrue();
            String url = answered.getAsJsonObject("deployed").get("url").getAsString();
            Path certificates = folder.resolve("data/certificates");
            assertThat(Files.getPosixFilePermissions(certificates))
                    .isEqualTo(PosixFilePermissions.fromString("rwx------"));
            HttpClient client =
                    HttpClient.newBuilder()
                            .sslContext(trusting(certificates.resolve("development/authority.pem")))
                            .build();
            HttpResponse<String> answer =
                    client.send(
                            HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("https");
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
            HttpResponse<String> redirected = HostingServer.get(url, "/secret");
            assertThat(redirected.statusCode()).isEqualTo(302);
            assertThat(redirected.headers().firstValue("location").orElse(""))
                    .startsWith("https://")
                    .endsWith(":" + port + "/secret");
        }
    }

    @Test
    void newCertificateFilesNeedNoRestart() throws Exception {
        int port = freePort();
        try (HostingServer server =
                HostingServer.in(
                        folder,
                        Map.of(
                                "PETRICHOR_APPS__TLS_PORT",
                                Integer.toString(port),
                                "PETRICHOR_SERVER__RELOAD_INTERVAL",
                                "100ms"))) {
            assertThat(server.deploy("project=demo&version=v1", APP).has("deployed")).isTrue();
            Path certificates = folder.resolve("data/certificates");
            DevelopmentAuthority another =
                    DevelopmentAuthority.openOrCreate(folder.resolve("another"));
            SSLContext development = trusting(certificates.resolve("development/authority.pem"));
            SSLContext operators = trusting(another.certificate());
            try (Socket open = connected(development, port)) {
                assertThat(answer(open)).startsWith("HTTP/1.1 200");
                CertificateFiles issued = another.issue("own", List.of("localhost"));
                Files.copy(issued.chain(), certificates.resolve("own.pem"));
                Files.copy(issued.key(), certificates.resolve("own-key.pem"));
                long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
                while (!accepts(operators, port)) {
                    assertThat(System.nanoTime()).as("used in time").isLessThan(end);
                }
                assertThat(accepts(development, port)).isFalse();
                assertThat(answer(open)).as("the open connection").startsWith("HTTP/1.1 200");
            }
        }
    }

    private static Socket connected(SSLContext trust, int port) throws IOException {
        SSLSocket socket =
                (SSLSocket)
                        trust.getSocketFactory()
                                .createSocket(InetAddress.getLoopbackAddress(), port);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName("localhost")));
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static boolean accepts(SSLContext trust, int port) throws IOException {
        try (Socket _ = connected(trust, port)) {
            return true;
        } catch (SSLHandshakeException refused) {
            return false;
        }
    }

    /** The head of a response, whose body is read too. */
    private static String answer(Socket socket) throws IOException {
        socket.getOutputStream()
                .write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\nhttps")) {
            int next = socket.getInputStream().read();
            assertThat(next).as(head.toString()).isNotNegative();
            head.append((char) next);
        }
        return head.toString();
    }
}
