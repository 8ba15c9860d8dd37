package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;
import petrichor.apps.router.tls.CertificateFiles;
import petrichor.apps.router.tls.DevelopmentAuthority;

/** A router without instances forwards requests to the router of another server. */
class PeerHopTest {
    private static final String GATE = "f".repeat(64);
    private static final VersionName STOPPED = new VersionName("demo", "default", "stopped");
    private static final int BODY_BYTES = 3 << 20;
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir private Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private TestRouter there(PeerAccess access) {
        TestRouter router =
                TestRouter.open(settings -> settings.among(Optional.of(access)), around -> around);
        open.add(router);
        return router;
    }

    private TestRouter there() {
        return there(new PeerAccess(GATE, Optional.empty()));
    }

    /** A router whose requests go to these in turn. */
    private String here(Optional<PeerAccess> access, VersionName version, Backend... to) {
        List<Backend> left = new ArrayList<>(List.of(to));
        AppRouter router =
                AppRouter.open(
                        RouterSettings.http(
                                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .among(access),
                        AppRouter.Surroundings.of(
                                new Backends() {
                                    @Override
                                    public CompletableFuture<Acquisition> acquire(Wanted wanted) {
                                        return CompletableFuture.completedFuture(
                                                new Acquired(
                                                        left.size() > 1
                                                                ? left.removeFirst()
                                                                : left.getFirst()));
                                    }

                                    @Override
                                    public void release(Backend backend, Use use) {}
                                }));
        router.setTable(
                TestRouter.table(TestRouter.version(version, VersionRoutes.Timeouts.DEFAULT)));
        open.add(router);
        return "http://localhost:" + router.addresses().getFirst().getPort() + "/";
    }

    private String here(TestRouter there) {
        return here(Optional.empty(), TestRouter.V1, gate(TestRouter.V1, there));
    }

    private static Backend gate(VersionName version, TestRouter there) {
        return new Backend(version, "server", there.address(), Optional.of(new Backend.Gate(GATE)));
    }

    private static boolean echo(
            TestInstance.Request request, java.io.InputStream in, java.io.OutputStream out)
            throws IOException {
        TestInstance.text(out, new String(request.body(in), UTF_8));
        return true;
    }

    private static HttpResponse<String> post(String url, String body) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create(url))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void fieldsOfTheFirstRouterReachTheInstanceAndThoseOfTheHopDoNot() throws Exception {
        TestRouter there = there();
        TestInstance instance = there.instance("one", PeerHopTest::echo);
        String url = here(there);
        for (int i = 0; i < 3; i++) {
            assertThat(post(url + "path?a=b", "body " + i).body()).isEqualTo("body " + i);
        }
        assertThat(instance.requests())
                .hasSize(3)
                .allSatisfy(
                        request -> {
                            assertThat(request.header("x-forwarded-for")).isEqualTo("127.0.0.1");
                            assertThat(request.header("x-petrichor-gate")).isEmpty();
                            assertThat(request.header("x-petrichor-version")).isEmpty();
                            assertThat(request.header("expect")).isEmpty();
                        });
        assertThat(there.backends().wanted())
                .allMatch(wanted -> wanted.reach() == Backends.Reach.SERVER);
    }

    @Test
    void aLargeBodyStreams() throws Exception {
        TestRouter there = there();
        there.instance("one", PeerHopTest::echo);
        String body = "b".repeat(BODY_BYTES);
        assertThat(post(here(there), body).body()).isEqualTo(body);
    }

    @Test
    void aClientCannotForgeTheHop() throws Exception {
        TestRouter there = there();
        TestInstance instance = there.instance("one", PeerHopTest::echo);
        RawClient.Response response =
                there.get(
                        "/",
                        "X-Petrichor-Gate: " + "0".repeat(64),
                        "X-Petrichor-Version: demo/default/other",
                        "X-AppEngine-QueueName: forged");
        assertThat(response.status()).isEqualTo(200);
        TestInstance.Request arrived = instance.requests().getFirst();
        for (String forged :
                List.of("x-appengine-queuename", "x-petrichor-gate", "x-petrichor-version")) {
            assertThat(arrived.header(forged)).as(forged).isEmpty();
        }
        assertThat(there.backends().wanted().getFirst().version()).isEqualTo(TestRouter.V1);
        assertThat(there.backends().wanted().getFirst().reach()).isEqualTo(Backends.Reach.CLUSTER);
    }

    @Test
    void aRefusedRequestGoesElsewhereWithItsBody() throws Exception {
        TestRouter there = there();
        TestRouter another = there();
        TestInstance instance = another.instance("one", PeerHopTest::echo);
        String url =
                here(
                        Optional.empty(),
                        STOPPED,
                        gate(STOPPED, there),
                        new Backend(STOPPED, "one", instance.address()));
        String body = "b".repeat(BODY_BYTES);
        assertThat(post(url, body).body()).isEqualTo(body);
    }

    @Test
    void aRequestThatAnotherServerMayHaveExecutedIsNotRepeated() throws Exception {
        TestRouter there = there();
        TestInstance broken =
                there.instance(
                        "broken",
                        (request, in, out) -> {
                            // Accepts the body, if there is one, and closes without an answer.
                            if (!request.header("expect").isEmpty()) {
                                out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(UTF_8));
                                out.flush();
                                String _ = new String(request.body(in), UTF_8);
                            }
                            return false;
                        });
        TestInstance another = there.instance("another", PeerHopTest::echo);
        for (String body : List.of("", "body")) {
            String url =
                    here(
                            Optional.empty(),
                            TestRouter.V1,
                            new Backend(
                                    TestRouter.V1,
                                    "server",
                                    broken.address(),
                                    Optional.of(new Backend.Gate(GATE))),
                            new Backend(TestRouter.V1, "another", another.address()));
            assertThat(post(url, body).statusCode()).as("body \"%s\"", body).isEqualTo(502);
        }
        assertThat(broken.requests()).hasSize(2);
        assertThat(another.requests()).isEmpty();
    }

    @Test
    void theReasonOfARefusalReachesTheClient() throws Exception {
        TestRouter there = there();
        String url = here(Optional.empty(), STOPPED, gate(STOPPED, there));
        HttpResponse<String> answer = post(url, "body");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("The version is stopped.");
        assertThat(answer.headers().map()).doesNotContainKey("x-petrichor-failure");
    }

    @Test
    void aWebSocketPassesBothRouters() throws Exception {
        TestRouter there = there();
        there.instance("echo", WebSocketTest::echo);
        BlockingQueue<String> texts = new LinkedBlockingQueue<>();
        WebSocket socket =
                HTTP.newWebSocketBuilder()
                        .buildAsync(
                                URI.create(here(there).replace("http://", "ws://")),
                                new WebSocket.Listener() {
                                    @Override
                                    public CompletionStage<?> onText(
                                            WebSocket from, CharSequence text, boolean last) {
                                        texts.add(text.toString());
                                        from.request(1);
                                        return CompletableFuture.completedFuture(null);
                                    }
                                })
                        .get(30, TimeUnit.SECONDS);
        socket.sendText("through both", true).get(30, TimeUnit.SECONDS);
        assertThat(texts.poll(30, TimeUnit.SECONDS)).isEqualTo("through both");
        socket.abort();
    }

    @Test
    void serversWithCertificatesForwardOverMutualTlsOnly() throws Exception {
        DevelopmentAuthority authority = DevelopmentAuthority.openOrCreate(folder);
        CertificateFiles own = authority.issue("peer", List.of("peer.internal"));
        File trusted = authority.certificate().toFile();
        // The authority for development issues no certificates of clients: any one is enough here.
        SslContext accepting =
                SslContextBuilder.forServer(own.chain().toFile(), own.key().toFile())
                        .trustManager(InsecureTrustManagerFactory.INSTANCE)
                        .clientAuth(ClientAuth.REQUIRE)
                        .build();
        SslContext connecting =
                SslContextBuilder.forClient()
                        .keyManager(own.chain().toFile(), own.key().toFile())
                        .trustManager(trusted)
                        .build();
        PeerAccess access =
                new PeerAccess(
                        GATE,
                        Optional.of(
                                new PeerAccess.Tls(
                                        () -> accepting, () -> connecting, "peer.internal")));
        TestRouter there = there(access);
        there.instance("one", PeerHopTest::echo);
        String url = here(Optional.of(access), TestRouter.V1, gate(TestRouter.V1, there));
        for (int i = 0; i < 3; i++) {
            assertThat(post(url, "body " + i).body()).isEqualTo("body " + i);
        }
        assertThat(
                        there.get(
                                        "/",
                                        "X-Petrichor-Gate: " + GATE,
                                        "X-Petrichor-Version: demo/default/stopped")
                                .status())
                .as("the token alone is not enough")
                .isEqualTo(200);
    }
}
