package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.coordination.testkit.Wait;
import petrichor.frontends.access.TokenHash;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.server.config.ServerConfig;

/** Tests changes of certificates and tokens on a running server with real clients. */
class ReloadTest {
    private static final Duration SEEN_WITHIN = Duration.ofSeconds(60);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    @TempDir private Path folder;
    private Path certificate;
    private Path key;
    private Path tokens;

    @BeforeEach
    void write() throws Exception {
        certificate = folder.resolve("certificate.pem");
        key = folder.resolve("key.pem");
        tokens = folder.resolve("tokens.toml");
        install("certificate.pem", "key.pem");
        writeTokens("first");
    }

    private void install(String chain, String secret) throws Exception {
        replace(certificate, Files.readAllBytes(resource(chain)));
        replace(key, Files.readAllBytes(resource(secret)));
    }

    private void writeTokens(String secret) throws IOException {
        String text = "[web]\nrole = \"write\"\nsha256 = \"" + TokenHash.of(secret).hex() + "\"\n";
        replace(tokens, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Replaces a file atomically, as programs that renew certificates do. */
    private static void replace(Path file, byte[] content) throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".new");
        Files.write(beside, content);
        Files.setPosixFilePermissions(beside, PosixFilePermissions.fromString("rw-------"));
        Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private TestServer start() {
        return TestServer.start(
                config ->
                        config.withTls(new FrontEndSettings.Tls(certificate, key))
                                .withAuth(
                                        new ServerConfig.Access(
                                                Optional.empty(),
                                                Optional.empty(),
                                                Optional.of(tokens),
                                                POLL_INTERVAL)));
    }

    @Test
    void newConnectionsUseTheRenewedCertificateAndOldOnesStayOpen() throws Exception {
        try (TestServer server = start();
                SSLSocket old = connect(server)) {
            String first = name(old);
            assertThat(get(old, "/livez", "")).startsWith("HTTP/1.1 200");

            install("renewed-certificate.pem", "renewed-key.pem");
            await(
                    "a new connection sees the new certificate",
                    () -> name(server).equals("CN=renewed"));

            assertThat(first).isEqualTo("CN=localhost");
            assertThat(name(old)).isEqualTo(first);
            assertThat(get(old, "/livez", "")).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void aBadCertificateIsReportedAndTheFormerOneStays() throws Exception {
        try (TestServer server = start();
                Records log = new Records()) {
            // The key of another certificate, as in the middle of a renewal.
            install("renewed-certificate.pem", "key.pem");
            await(
                    "the mismatch is logged",
                    () -> log.has("the key does not match the certificate"));
            assertThat(name(server)).isEqualTo("CN=localhost");

            replace(certificate, "no certificate".getBytes(StandardCharsets.UTF_8));
            await("the damage is logged", () -> log.has("must be PEM files"));
            install("expired-certificate.pem", "expired-key.pem");
            await("the expiry is logged", () -> log.has("has expired"));
            assertThat(name(server)).isEqualTo("CN=localhost");

            install("renewed-certificate.pem", "renewed-key.pem");
            await("a good one is taken", () -> name(server).equals("CN=renewed"));
        }
    }

    @Test
    void tokensAreReplacedAndABadFileChangesNothing() throws Exception {
        try (TestServer server = start();
                SSLSocket connection = connect(server);
                Records log = new Records()) {
            assertThat(get(connection, "/metrics", "first")).startsWith("HTTP/1.1 200");

            replace(tokens, "[web]\nrole = \"king\"\n".getBytes(StandardCharsets.UTF_8));
            await("the mistake is logged", () -> log.has("needs role"));
            assertThat(get(connection, "/metrics", "first")).startsWith("HTTP/1.1 200");

            writeTokens("second");
            await("the new token is accepted", () -> accepts(server, "second"));
            // Also on connections opened with the old token.
            assertThat(get(connection, "/metrics", "first")).startsWith("HTTP/1.1 401");
        }
    }

    private static boolean accepts(TestServer server, String token) {
        try (SSLSocket socket = connect(server)) {
            return get(socket, "/metrics", token).startsWith("HTTP/1.1 200");
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static String name(TestServer server) {
        try (SSLSocket socket = connect(server)) {
            return name(socket);
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static String name(SSLSocket socket) throws IOException {
        X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
        return shown.getSubjectX500Principal().getName();
    }

    private static SSLSocket connect(TestServer server) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Everybody()}, new SecureRandom());
            SSLSocket socket =
                    (SSLSocket)
                            context.getSocketFactory()
                                    .createSocket(InetAddress.getLoopbackAddress(), server.port());
            socket.setSoTimeout(Math.toIntExact(SEEN_WITHIN.toMillis()));
            socket.startHandshake();
            return socket;
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Sends a request and reads the response; the connection stays open. */
    private static String get(Socket socket, String path, String token) throws IOException {
        String request =
                "GET "
                        + path
                        + " HTTP/1.1\r\nHost: localhost\r\n"
                        + (token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n")
                        + "\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("an answer, after " + head).isNotNegative();
            head.append((char) next);
        }
        String length =
                head.toString()
                        .lines()
                        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length"))
                        .findFirst()
                        .orElseThrow();
        int bytes = Integer.parseInt(length.substring(length.indexOf(':') + 1).strip());
        assertThat(socket.getInputStream().readNBytes(bytes)).hasSize(bytes);
        return head.toString();
    }

    private static void await(String what, BooleanSupplier condition) {
        Wait.until(what, SEEN_WITHIN, condition);
    }

    private static Path resource(String name) throws Exception {
        return Path.of(Objects.requireNonNull(ReloadTest.class.getResource(name)).toURI());
    }

    /** Accepts all certificates; the test checks which one was received. */
    private static final class Everybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Collects logged warnings. */
    private static final class Records extends Handler implements AutoCloseable {
        private static final Logger LOGGER = Logger.getLogger(WatchedFiles.class.getName());
        private final List<String> messages = Collections.synchronizedList(new ArrayList<>());

        Records() {
            LOGGER.addHandler(this);
        }

        boolean has(String text) {
            synchronized (messages) {
                return messages.stream().anyMatch(message -> message.contains(text));
            }
        }

        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().equals(Level.WARNING)) {
                messages.add(new SimpleFormatter().formatMessage(record));
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            LOGGER.removeHandler(this);
        }
    }
}
