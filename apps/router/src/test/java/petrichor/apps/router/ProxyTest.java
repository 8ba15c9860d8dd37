package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** HTTP/1.1 between clients and instances. */
final class ProxyTest {
    private final TestRouter router = TestRouter.open();

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void requestsAndResponsesPassWithTheirFields() throws IOException {
        TestInstance instance =
                router.instance(
                        "i1",
                        (request, in, out) -> {
                            byte[] body = request.body(in);
                            TestInstance.raw(
                                    out,
                                    "HTTP/1.1 201 Created\r\nX-App: yes\r\nSet-Cookie: a=1\r\n"
                                            + "Set-Cookie: b=2\r\nContent-Length: "
                                            + body.length
                                            + "\r\n\r\n");
                            out.write(body);
                            out.flush();
                            return true;
                        });
        try (RawClient client = router.client()) {
            RawClient.Response response =
                    client.exchange(
                            "POST /a/b?c=d HTTP/1.1\r\nHost: demo.localhost\r\nX-Mine: 1\r\n"
                                    + "Content-Length: 5\r\n\r\nhello");
            assertThat(response.status()).isEqualTo(201);
            assertThat(response.text()).isEqualTo("hello");
            assertThat(response.header("x-app")).isEqualTo("yes");
            assertThat(response.header("set-cookie")).isEqualTo("a=1, b=2");
            assertThat(response.header("date")).isNotEmpty();
        }
        assertThat(instance.last().line()).isEqualTo("POST /a/b?c=d HTTP/1.1");
        assertThat(instance.last().header("x-mine")).isEqualTo("1");
        assertThat(instance.last().header("host")).isEqualTo("demo.localhost");
        assertThat(instance.last().header("x-forwarded-for")).isEqualTo("127.0.0.1");
    }

    @Test
    void connectionsToAnInstanceAreUsedAgain() throws IOException {
        TestInstance instance = router.add(TestInstance.named("i1"));
        try (RawClient client = router.client()) {
            for (int i = 0; i < 20; i++) {
                assertThat(client.exchange(get("/" + i)).text()).isEqualTo("i1");
            }
        }
        assertThat(instance.connections()).isEqualTo(1);
    }

    @Test
    void requestsThatAreSentAheadAreAnsweredInOrder() throws IOException {
        router.instance(
                "i1",
                (request, in, out) -> {
                    request.body(in);
                    TestInstance.text(out, request.path());
                    return true;
                });
        try (RawClient client = router.client()) {
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                all.append(
                        i % 2 == 0
                                ? get("/" + i)
                                : "POST /"
                                        + i
                                        + " HTTP/1.1\r\n"
                                        + "Host: demo.localhost\r\n"
                                        + "Transfer-Encoding: chunked\r\n\r\n"
                                        + "3\r\n"
                                        + "abc\r\n"
                                        + "0\r\n\r\n");
            }
            client.send(all.toString());
            for (int i = 0; i < 100; i++) {
                assertThat(client.read().text()).isEqualTo("/" + i);
            }
        }
    }

    @Test
    void headHasNoBodyAndKeepsTheConnection() throws IOException {
        router.instance(
                "i1",
                (request, in, out) -> {
                    boolean head = request.line().startsWith("HEAD");
                    TestInstance.raw(
                            out,
                            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + (head ? "" : "hello"));
                    return true;
                });
        try (RawClient client = router.client()) {
            client.send("HEAD / HTTP/1.1\r\nHost: demo.localhost\r\n\r\n");
            assertThat(client.read(true).header("content-length")).isEqualTo("5");
            assertThat(client.exchange(get("/")).text()).isEqualTo("hello");
        }
    }

    @Test
    void statusesWithoutBodyKeepTheConnection() throws IOException {
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.raw(out, "HTTP/1.1 " + request.path().substring(1) + " X\r\n\r\n");
                    return true;
                });
        try (RawClient client = router.client()) {
            assertThat(client.exchange(get("/204")).status()).isEqualTo(204);
            assertThat(client.exchange(get("/304")).status()).isEqualTo(304);
            assertThat(client.exchange(get("/204")).status()).isEqualTo(204);
        }
    }

    @Test
    void largeBodiesPassUnchangedInBothDirections() throws Exception {
        byte[] sent = new byte[12 << 20];
        new Random(7).nextBytes(sent);
        router.instance(
                "i1",
                (request, in, out) -> {
                    byte[] body = request.body(in);
                    TestInstance.raw(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                    for (int at = 0; at < body.length; at += 50_000) {
                        byte[] part =
                                Arrays.copyOfRange(body, at, Math.min(body.length, at + 50_000));
                        TestInstance.raw(out, Integer.toHexString(part.length) + "\r\n");
                        out.write(part);
                        TestInstance.raw(out, "\r\n");
                    }
                    TestInstance.raw(out, "0\r\n\r\n");
                    return true;
                });
        try (RawClient client = router.client()) {
            CompletableFuture<RawClient.Response> response = new CompletableFuture<>();
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    response.complete(client.read());
                                } catch (IOException | RuntimeException failed) {
                                    response.completeExceptionally(failed);
                                }
                            });
            client.send(
                    "PUT / HTTP/1.1\r\nHost: demo.localhost\r\nContent-Length: "
                            + sent.length
                            + "\r\n\r\n");
            client.send(sent);
            assertThat(response.get(60, TimeUnit.SECONDS).body()).isEqualTo(sent);
        }
    }

    @Test
    void trailersPassInBothDirections() throws IOException {
        Map<String, String> arrived = new LinkedHashMap<>();
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.chunks(in, arrived);
                    TestInstance.raw(
                            out,
                            TestInstance.head(
                                            "HTTP/1.1 200 OK",
                                            "Transfer-Encoding: chunked",
                                            "Trailer: X-Sum")
                                    + TestInstance.head(
                                            "2", "ok", "0", "X-Sum: 42", "Keep-Alive: 9"));
                    return true;
                });
        try (RawClient client = router.client()) {
            RawClient.Response response =
                    client.exchange(
                            TestInstance.head(
                                            "POST / HTTP/1.1",
                                            "Host: demo.localhost",
                                            "TE: trailers",
                                            "Transfer-Encoding: chunked")
                                    + TestInstance.head(
                                            "1", "a", "0", "X-Check: 7", "X-AppEngine-User-Id: 1"));
            assertThat(response.text()).isEqualTo("ok");
            assertThat(response.trailers()).isEqualTo(Map.of("x-sum", "42"));
        }
        assertThat(arrived).isEqualTo(Map.of("x-check", "7"));
    }

    @Test
    void serverSentEventsArriveOneByOne() throws Exception {
        CountDownLatch next = new CountDownLatch(1);
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.raw(
                            out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
                    TestInstance.raw(out, "data: 1\n\n");
                    await(next);
                    TestInstance.raw(out, "data: 2\n\n");
                    return false;
                });
        try (RawClient client = router.client()) {
            RawClient.Response head = client.send(get("/")).head();
            assertThat(head.header("transfer-encoding")).isEqualTo("chunked");
            assertThat(TestInstance.line(client.in())).isEqualTo("9");
            assertThat(TestInstance.line(client.in())).isEqualTo("data: 1");
            next.countDown();
            assertThat(new String(client.in().readNBytes(1 + 2 + 3 + 9 + 2 + 5), UTF_8))
                    .isEqualTo("\n\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\n");
        }
    }

    @Test
    void continueIsSentWhenAnInstanceIsThere() throws Exception {
        try (RawClient client = router.client()) {
            client.send(
                    TestInstance.head(
                            "POST / HTTP/1.1",
                            "Host: demo.localhost",
                            "Content-Length: 2",
                            "Expect: 100-continue"));
            TestRouter.waitFor(() -> router.backends().waiting() == 1);
            assertThat(client.in().available()).as("no response before the start").isZero();
            TestInstance instance = router.add(TestInstance.named("i1"));
            assertThat(client.read().status()).isEqualTo(100);
            assertThat(client.send("ab").read().text()).isEqualTo("i1");
            assertThat(instance.last().header("expect")).isEmpty();
        }
        assertThat(router.call("POST", "/", "Expect: a-miracle", "Content-Length: 0").status())
                .isEqualTo(417);
    }

    @Test
    void interimResponsesOfInstancesDoNotReachTheClient() throws IOException {
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.raw(
                            out,
                            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink:"
                                    + " </a>\r\n\r\n");
                    TestInstance.text(out, "real");
                    return true;
                });
        assertThat(router.get("/").text()).isEqualTo("real");
    }

    @Test
    void oldClientsGetABodyThatEndsWithTheConnection() throws IOException {
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.raw(
                            out,
                            TestInstance.head("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
                                    + TestInstance.head("2", "ok", "0"));
                    return true;
                });
        try (RawClient client = router.client()) {
            RawClient.Response response = client.exchange("GET / HTTP/1.0\r\n\r\n");
            assertThat(response.header("transfer-encoding")).isEmpty();
            assertThat(response.text()).isEqualTo("ok");
        }
        try (RawClient client = router.client()) {
            client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            assertThat(client.read().header("connection")).isEqualTo("close");
        }
    }

    @Test
    void oldInstancesMayEndABodyWithTheConnection() throws IOException {
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.raw(out, "HTTP/1.0 200 OK\r\n\r\nall of it");
                    return false;
                });
        try (RawClient client = router.client()) {
            assertThat(client.exchange(get("/")).text()).isEqualTo("all of it");
            assertThat(client.exchange(get("/")).text()).isEqualTo("all of it");
        }
    }

    @Test
    void aResponseThatEndsEarlyIsCutOff() throws IOException {
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.raw(
                            out,
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n");
                    return false;
                });
        try (RawClient client = router.client()) {
            client.send(get("/"));
            assertThat(client.rest()).endsWith("2\r\nok\r\n");
        }
        assertThat(router.router().metrics().aborted()).isEqualTo(1);
    }

    @Test
    void anEarlyResponseEndsTheExchangeWithoutItsBody() throws IOException {
        TestInstance instance =
                router.instance(
                        "i1",
                        (request, in, out) -> {
                            TestInstance.text(out, "no need");
                            return false;
                        });
        try (RawClient client = router.client()) {
            client.send("POST / HTTP/1.1\r\nHost: demo.localhost\r\nContent-Length: 6\r\n\r\nabc");
            assertThat(client.read().text()).isEqualTo("no need");
            client.send("def" + get("/next"));
            assertThat(client.read().text()).isEqualTo("no need");
        }
        assertThat(instance.last().path()).isEqualTo("/next");
        assertThat(instance.connections()).as("never used again").isEqualTo(2);
    }

    /** The instance keeps the connection open and still waits for the rest of the body. */
    @Test
    void aConnectionIsNotUsedAgainAfterAnEarlyResponse() throws IOException {
        TestInstance instance =
                router.instance(
                        "i1",
                        (request, in, out) -> {
                            TestInstance.text(out, request.path());
                            return true;
                        });
        try (RawClient client = router.client()) {
            client.send(
                    TestInstance.head(
                                    "POST /early HTTP/1.1",
                                    "Host: demo.localhost",
                                    "Content-Length: 6")
                            + "abc");
            assertThat(client.read().text()).isEqualTo("/early");
            try (RawClient other = router.client()) {
                assertThat(other.exchange(get("/other")).text()).isEqualTo("/other");
            }
            assertThat(client.exchange("def" + get("/next")).text()).isEqualTo("/next");
        }
        assertThat(instance.requests().stream().map(TestInstance.Request::path))
                .containsExactly("/early", "/other", "/next");
    }

    @Test
    void aConnectionIsNotUsedAgainAfterTheClientDisconnects() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        TestInstance instance =
                router.instance(
                        "i1",
                        (request, in, out) -> {
                            if (request.path().equals("/slow")) {
                                arrived.countDown();
                                assertThat(in.read()).as("the router closes it").isNegative();
                                return false;
                            }
                            TestInstance.text(out, "quick");
                            return true;
                        });
        try (RawClient client = router.client()) {
            client.send(get("/slow"));
            await(arrived);
        }
        TestRouter.waitFor(() -> router.backends().uses().contains(Backends.Use.ABANDONED));
        assertThat(router.get("/").text()).isEqualTo("quick");
        assertThat(instance.connections()).isEqualTo(2);
    }

    @Test
    void twoResponsesForOneRequestDoNotReachTheNextClient() throws IOException {
        router.instance(
                "i1",
                (request, in, out) -> {
                    ByteArrayOutputStream both = new ByteArrayOutputStream();
                    TestInstance.text(both, request.path());
                    TestInstance.text(both, "poison");
                    out.write(both.toByteArray());
                    out.flush();
                    return true;
                });
        try (RawClient client = router.client()) {
            client.send(get("/1") + get("/2") + get("/3"));
            assertThat(client.read().text()).isEqualTo("/1");
            assertThat(client.read().text()).isEqualTo("/2");
            assertThat(client.read().text()).isEqualTo("/3");
        }
    }

    @Test
    void malformedResponsesAreABadGateway() throws IOException {
        String[] responses = {
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            "HTTP/1.1 200 OK\r\nBad: a\u0001b\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 101 Switching\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n",
            "no http at all\r\n\r\n",
        };
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.raw(out, responses[Integer.parseInt(request.path().substring(1))]);
                    return false;
                });
        for (int i = 0; i < responses.length; i++) {
            assertThat(router.get("/" + i).status()).as(responses[i]).isEqualTo(502);
        }
    }

    static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: demo.localhost\r\n\r\n";
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
