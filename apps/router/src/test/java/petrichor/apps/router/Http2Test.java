package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.router.log.RequestLog;
import petrichor.apps.router.tls.CertificateFiles;
import petrichor.apps.router.tls.DevelopmentAuthority;
import petrichor.apps.router.tls.RouterCertificates;

/** HTTP/2 with and without TLS, and certificates, with the JDK's client and curl. */
final class Http2Test {
    @TempDir private static Path folder;
    private static @Nullable DevelopmentAuthority authority;
    private static @Nullable CertificateFiles localhost;
    private static @Nullable CertificateFiles custom;

    private @Nullable RouterCertificates certificates;
    private @Nullable TestRouter opened;

    @BeforeAll
    static void issue() {
        DevelopmentAuthority created = DevelopmentAuthority.openOrCreate(folder.resolve("ca"));
        authority = created;
        localhost = created.issue("localhost", List.of("localhost", "*.localhost", "127.0.0.1"));
        custom = created.issue("custom", List.of("www.custom.test"));
    }

    @BeforeEach
    void open() {
        open(UnaryOperator.identity());
    }

    private void open(UnaryOperator<RouterLimits.Connections> connections) {
        RouterCertificates both = RouterCertificates.open(List.of(known(localhost), known(custom)));
        certificates = both;
        opened =
                TestRouter.open(
                        settings ->
                                new RouterSettings(
                                        List.of(
                                                settings.listeners().getFirst(),
                                                RouterSettings.Listener.https(
                                                        new InetSocketAddress(
                                                                InetAddress.getLoopbackAddress(),
                                                                0))),
                                        2,
                                        8443,
                                        settings.platformToken(),
                                        limited(settings.limits(), connections)),
                        plain ->
                                new AppRouter.Surroundings(
                                        plain.backends(),
                                        plain.headers(),
                                        plain.visitors(),
                                        RequestLog.NONE,
                                        both,
                                        plain.sources()));
    }

    private static RouterLimits limited(
            RouterLimits limits, UnaryOperator<RouterLimits.Connections> connections) {
        return new RouterLimits(
                limits.requests(),
                limits.responses(),
                connections.apply(limits.connections()),
                limits.concurrency(),
                limits.instances(),
                limits.files());
    }

    private static <T> T known(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException();
        }
        return value;
    }

    private TestRouter router() {
        return known(opened);
    }

    @AfterEach
    void close() {
        router().close();
    }

    private int securePort() {
        return router().router().addresses().getLast().getPort();
    }

    private URI secure(String path) {
        return URI.create("https://localhost:" + securePort() + path);
    }

    private static SSLContext trusting() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (var in = Files.newInputStream(known(authority).certificate())) {
            trusted.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory managers =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private static HttpClient client(HttpClient.Version version) throws Exception {
        return HttpClient.newBuilder().version(version).sslContext(trusting()).build();
    }

    @Test
    void theJdksClientUsesHttp2AndHttp1OverTls() throws Exception {
        TestInstance instance = router().add(TestInstance.named("i1"));
        for (HttpClient.Version version : HttpClient.Version.values()) {
            if (version.name().equals("HTTP_3")) {
                continue;
            }
            try (HttpClient client = client(version)) {
                HttpResponse<String> response =
                        client.send(
                                HttpRequest.newBuilder(secure("/a?b")).build(),
                                HttpResponse.BodyHandlers.ofString());
                assertThat(response.version()).isEqualTo(version);
                assertThat(response.body()).isEqualTo("i1");
                assertThat(instance.last().line()).isEqualTo("GET /a?b HTTP/1.1");
                assertThat(instance.last().header("x-forwarded-proto")).isEqualTo("https");
                assertThat(instance.last().header("host")).isEqualTo("localhost:" + securePort());
                assertThat(instance.last().headers().keySet())
                        .noneMatch(name -> name.startsWith("x-http2"));
            }
        }
    }

    @Test
    void manyStreamsOfOneConnectionWithBodies() throws Exception {
        router().instance(
                        "i1",
                        (request, in, out) -> {
                            byte[] body = request.body(in);
                            TestInstance.raw(
                                    out,
                                    TestInstance.head(
                                            "HTTP/1.1 200 OK", "Content-Length: " + body.length));
                            out.write(body);
                            out.flush();
                            return true;
                        });
        try (HttpClient client = client(HttpClient.Version.HTTP_2)) {
            Random random = new Random(5);
            List<byte[]> bodies = new ArrayList<>();
            List<CompletableFuture<HttpResponse<byte[]>>> responses = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                byte[] body = new byte[random.nextInt(400_000)];
                random.nextBytes(body);
                bodies.add(body);
                HttpRequest.BodyPublisher publisher =
                        i % 2 == 0
                                ? HttpRequest.BodyPublishers.ofByteArray(body)
                                : HttpRequest.BodyPublishers.ofInputStream(
                                        () -> new java.io.ByteArrayInputStream(body));
                responses.add(
                        client.sendAsync(
                                HttpRequest.newBuilder(secure("/" + i)).POST(publisher).build(),
                                HttpResponse.BodyHandlers.ofByteArray()));
            }
            for (int i = 0; i < bodies.size(); i++) {
                HttpResponse<byte[]> response = responses.get(i).get(60, TimeUnit.SECONDS);
                assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
                assertThat(response.body()).isEqualTo(bodies.get(i));
            }
        }
    }

    @Test
    void streamsEndWithoutEndingTheConnection() throws Exception {
        CountDownLatch cut = new CountDownLatch(1);
        router().instance(
                        "i1",
                        (request, in, out) -> {
                            if (request.path().equals("/cut")) {
                                TestInstance.raw(
                                        out,
                                        TestInstance.head("HTTP/1.1 200 OK", "Content-Length: 10"));
                                cut.countDown();
                                return false;
                            }
                            if (request.path().equals("/204")) {
                                TestInstance.raw(out, TestInstance.head("HTTP/1.1 204 None"));
                                return true;
                            }
                            TestInstance.text(out, "fine");
                            return true;
                        });
        try (HttpClient client = client(HttpClient.Version.HTTP_2)) {
            CompletableFuture<HttpResponse<String>> broken =
                    client.sendAsync(
                            HttpRequest.newBuilder(secure("/cut")).build(),
                            HttpResponse.BodyHandlers.ofString());
            ProxyTest.await(cut);
            assertThat(broken).failsWithin(Duration.ofSeconds(30));
            for (String path : List.of("/204", "/x")) {
                HttpResponse<String> response =
                        client.send(
                                HttpRequest.newBuilder(secure(path)).build(),
                                HttpResponse.BodyHandlers.ofString());
                assertThat(response.statusCode()).isEqualTo(path.equals("/204") ? 204 : 200);
            }
            HttpResponse<String> head =
                    client.send(
                            HttpRequest.newBuilder(secure("/x")).HEAD().build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(head.headers().firstValue("content-length")).contains("4");
            HttpResponse<String> refused =
                    client.send(
                            HttpRequest.newBuilder(secure("/_ah/start"))
                                    .POST(HttpRequest.BodyPublishers.ofString("x".repeat(100_000)))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(refused.statusCode()).isEqualTo(404);
        }
    }

    /** The JDK's client opens a new connection when the router ends the old one. */
    @Test
    void requestsContinueOnAnotherConnection() throws Exception {
        close();
        open(
                limits ->
                        new RouterLimits.Connections(
                                limits.connectionsMax(),
                                3,
                                limits.streamsMax(),
                                limits.idleMax(),
                                limits.stallMax(),
                                limits.bufferBytes()));
        router().add(TestInstance.named("i1"));
        try (HttpClient client = client(HttpClient.Version.HTTP_2)) {
            for (int i = 0; i < 10; i++) {
                HttpResponse<String> response =
                        client.send(
                                HttpRequest.newBuilder(secure("/" + i)).build(),
                                HttpResponse.BodyHandlers.ofString());
                assertThat(response.body()).isEqualTo("i1");
            }
        }
    }

    @Test
    void anIdleConnectionIsClosed() throws Exception {
        close();
        open(
                limits ->
                        new RouterLimits.Connections(
                                limits.connectionsMax(),
                                limits.requestsMax(),
                                limits.streamsMax(),
                                Duration.ofMillis(300),
                                limits.stallMax(),
                                limits.bufferBytes()));
        router().add(TestInstance.named("i1"));
        try (HttpClient client = client(HttpClient.Version.HTTP_2)) {
            client.send(
                    HttpRequest.newBuilder(secure("/")).build(),
                    HttpResponse.BodyHandlers.ofString());
            TestRouter.waitFor(() -> router().router().metrics().connections() == 0);
        }
    }

    @Test
    void theHostChoosesTheCertificate() throws Exception {
        assertThat(names("localhost")).contains("localhost");
        assertThat(names("app.localhost")).contains("*.localhost");
        assertThat(names("www.custom.test")).containsExactly("www.custom.test");
        assertThat(names("unknown.test")).contains("localhost");
    }

    private List<String> names(String host) throws Exception {
        try (SSLSocket socket =
                (SSLSocket)
                        trusting()
                                .getSocketFactory()
                                .createSocket(
                                        new java.net.Socket(
                                                InetAddress.getLoopbackAddress(), securePort()),
                                        host,
                                        securePort(),
                                        true)) {
            socket.startHandshake();
            var certificate =
                    (java.security.cert.X509Certificate)
                            socket.getSession().getPeerCertificates()[0];
            return certificate.getSubjectAlternativeNames().stream()
                    .map(name -> String.valueOf(name.get(1)))
                    .toList();
        }
    }

    @Test
    void newCertificatesAreReadFromTheFiles() throws Exception {
        RouterCertificates both = known(certificates);
        assertThat(both.reload()).as("nothing changed").isFalse();
        assertThat(names("www.custom.test")).containsExactly("www.custom.test");
        known(authority).issue("custom", List.of("www.custom.test", "new.custom.test"));
        assertThat(both.reload()).isTrue();
        assertThat(names("www.custom.test")).contains("new.custom.test");
        Path chain = known(custom).chain();
        String good = Files.readString(chain);
        Files.writeString(chain, "no certificate");
        try {
            assertThat(both.reload()).isFalse();
            assertThat(names("www.custom.test")).as("kept").contains("new.custom.test");
            known(authority).issue("localhost", List.of("localhost", "second.test"));
            assertThat(both.reload()).as("others are not held up").isTrue();
            assertThat(names("second.test")).contains("second.test");
            Files.writeString(chain, Files.readString(known(localhost).chain()));
            assertThat(both.reload()).as("not the certificate of the key").isFalse();
            assertThat(names("new.custom.test")).contains("new.custom.test");
        } finally {
            Files.writeString(chain, good);
            known(authority).issue("localhost", List.of("localhost", "*.localhost", "127.0.0.1"));
        }
    }

    @Test
    void certificatesOfNewFilesAreUsedForNewConnections(@TempDir Path folder) throws Exception {
        DevelopmentAuthority own = DevelopmentAuthority.openOrCreate(folder);
        List<CertificateFiles> files = new ArrayList<>();
        files.add(own.issue("one", List.of("one.test")));
        RouterCertificates found =
                RouterCertificates.open(() -> List.copyOf(files), Duration.ofSeconds(1));
        assertThat(found.find("two.test")).isEmpty();
        files.add(own.issue("two", List.of("two.test", "*.two.test")));
        assertThat(found.reload()).isTrue();
        assertThat(found.find("A.two.test").map(RouterCertificates.Known::files))
                .contains(files.get(1));
        assertThat(found.find("a.b.two.test")).isEmpty();
        assertThat(found.context("none.test")).isSameAs(found.context("one.test"));
        files.removeFirst();
        assertThat(found.reload()).isTrue();
        assertThat(found.find("one.test")).isEmpty();
        files.clear();
        assertThat(found.reload()).as("the last certificate is kept").isFalse();
        assertThat(found.find("two.test")).isPresent();
    }

    @Test
    void curlUsesEachProtocol() throws Exception {
        assumeCurl();
        TestInstance instance = router().add(TestInstance.named("i1"));
        String ca = known(authority).certificate().toString();
        String secure = secure("/x").toString();
        String clear = router().url("/x");
        String format = "%{http_version} %{http_code} ";
        assertThat(curl("-w", format, "--http1.1", clear)).isEqualTo("i11.1 200 ");
        assertThat(curl("-w", format, "--http1.0", clear)).isEqualTo("i11.1 200 ");
        assertThat(curl("-w", format, "--http2-prior-knowledge", clear)).isEqualTo("i12 200 ");
        assertThat(curl("-w", format, "--http2", clear))
                .as("an upgrade is declined")
                .isEqualTo("i11.1 200 ");
        assertThat(curl("-w", format, "--http2", "--cacert", ca, secure)).isEqualTo("i12 200 ");
        assertThat(curl("-w", format, "--http1.1", "--cacert", ca, secure)).isEqualTo("i11.1 200 ");
        assertThat(instance.requests()).hasSize(6);
    }

    @Test
    void curlUploadsAndTrailersOverHttp2() throws Exception {
        assumeCurl();
        router().instance(
                        "i1",
                        (request, in, out) -> {
                            byte[] body = request.body(in);
                            TestInstance.raw(
                                    out,
                                    TestInstance.head(
                                                    "HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
                                            + TestInstance.head(
                                                    "2", "ok", "0", "X-Sum: " + sum(body)));
                            return true;
                        });
        byte[] upload = new byte[5 << 20];
        new Random(9).nextBytes(upload);
        Path file = Files.write(folder.resolve("upload"), upload);
        String answer =
                curl(
                        "-v",
                        "--http2-prior-knowledge",
                        "-H",
                        "Expect: 100-continue",
                        "--data-binary",
                        "@" + file,
                        router().url("/x"));
        assertThat(answer).contains("ok").containsIgnoringCase("x-sum: " + sum(upload));
    }

    private static int sum(byte[] body) {
        return Arrays.hashCode(body);
    }

    private static void assumeCurl() {
        boolean found =
                Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                        .anyMatch(each -> Files.isExecutable(Path.of(each, "curl")));
        assumeTrue(found || System.getenv("CI") != null, "curl is not installed");
    }

    private static String curl(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("curl", "-sS", "--max-time", "60"));
        command.addAll(List.of(arguments));
        Process curl = new ProcessBuilder(command).redirectErrorStream(true).start();
        curl.getOutputStream().close();
        String output = new String(curl.getInputStream().readAllBytes(), UTF_8);
        assertThat(curl.waitFor()).as(output).isZero();
        return output;
    }
}
