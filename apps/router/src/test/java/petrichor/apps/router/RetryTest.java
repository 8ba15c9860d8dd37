package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;

/** Instances that fail before they answer. */
final class RetryTest {
    private final TestRouter router = TestRouter.open();

    @AfterEach
    void close() {
        router.close();
    }

    private void route(String version) {
        VersionName name = new VersionName("demo", "default", version);
        router.router()
                .setTable(
                        TestRouter.table(TestRouter.version(name, VersionRoutes.Timeouts.DEFAULT)));
    }

    private TestInstance dead() {
        TestInstance dead = router.add(TestInstance.named("dead"));
        dead.close();
        return dead;
    }

    /** Reads the request with its body, and closes the connection. */
    private TestInstance mute(String id) {
        return router.instance(
                id,
                (request, in, out) -> {
                    request.body(in);
                    return false;
                });
    }

    @Test
    void anyRequestMovesOnFromAnInstanceThatRefusesConnections() throws IOException {
        dead();
        TestInstance alive =
                router.instance(
                        "alive",
                        (request, in, out) -> {
                            TestInstance.text(out, new String(request.body(in), UTF_8));
                            return true;
                        });
        for (int i = 0; i < 10; i++) {
            try (RawClient client = router.client()) {
                RawClient.Response response =
                        client.exchange(
                                "POST / HTTP/1.1\r\nHost: demo.localhost\r\nContent-Length: 4\r\n"
                                        + "\r\nbody");
                assertThat(response.text()).isEqualTo("body");
            }
        }
        assertThat(alive.requests()).hasSize(10);
        assertThat(router.router().metrics().retries()).isEqualTo(10);
        assertThat(router.backends().uses()).contains(Backends.Use.UNREACHABLE);
    }

    @Test
    void anIdempotentRequestIsSentOnceMoreWithItsBody() throws IOException {
        TestInstance mute = mute("mute");
        router.instance(
                "alive",
                (request, in, out) -> {
                    TestInstance.text(out, new String(request.body(in), UTF_8));
                    return true;
                });
        for (int i = 0; i < 4; i++) {
            assertThat(put(router, "body " + i)).isEqualTo("body " + i);
        }
        assertThat(mute.requests()).hasSize(4);
    }

    private static String put(TestRouter router, String body) throws IOException {
        try (RawClient client = router.client()) {
            return client.exchange(
                            "PUT / HTTP/1.1\r\nHost: demo.localhost\r\nContent-Length: "
                                    + body.length()
                                    + "\r\n\r\n"
                                    + body)
                    .text();
        }
    }

    @Test
    void anIdempotentRequestWithALargeBodyIsNotRepeated() throws IOException {
        TestInstance first = mute("first");
        TestInstance second = mute("second");
        String body = "x".repeat(200_000);
        assertThat(put(router, body)).contains("without a response");
        assertThat(first.requests().size() + second.requests().size()).isEqualTo(1);
    }

    @Test
    void aRequestThatMayHaveHadAnEffectIsNotRepeated() throws IOException {
        TestInstance first = mute("first");
        TestInstance second = mute("second");
        RawClient.Response response = router.call("POST", "/", "Content-Length: 0");
        assertThat(response.status()).isEqualTo(502);
        assertThat(first.requests().size() + second.requests().size()).isEqualTo(1);
    }

    @Test
    void theSecondFailureIsReported() throws IOException {
        TestInstance first = mute("first");
        TestInstance second = mute("second");
        RawClient.Response response = router.get("/", "Accept: text/html,*/*");
        assertThat(response.status()).isEqualTo(502);
        assertThat(response.header("content-type")).startsWith("text/html");
        assertThat(response.text()).contains(response.header("x-request-id"));
        assertThat(first.requests()).hasSize(1);
        assertThat(second.requests()).hasSize(1);
        RawClient.Response json = router.get("/", "Accept: application/json");
        assertThat(json.header("content-type")).isEqualTo("application/json");
        assertThat(json.text()).startsWith("{\"error\":{\"code\":502,\"status\":\"Bad Gateway\"");
    }

    @Test
    void aConnectionThatTheInstanceClosedWhileIdleCountsAsNoAttempt() throws IOException {
        AtomicInteger answered = new AtomicInteger();
        TestInstance only =
                router.instance(
                        "only",
                        (request, in, out) -> {
                            if (request.path().equals("/last") && answered.get() == 1) {
                                answered.incrementAndGet();
                                return false; // as if it had closed before the request arrived
                            }
                            answered.incrementAndGet();
                            TestInstance.text(out, "answer");
                            return true;
                        });
        try (RawClient client = router.client()) {
            assertThat(client.exchange(ProxyTest.get("/first")).text()).isEqualTo("answer");
            assertThat(client.exchange(ProxyTest.get("/last")).text()).isEqualTo("answer");
        }
        assertThat(only.connections()).isEqualTo(2);
        assertThat(router.backends().uses())
                .as("the instance is not at fault")
                .doesNotContain(Backends.Use.UNREACHABLE);
    }

    @Test
    void withoutAnotherInstanceTheOnlyOneIsTriedAgain() throws IOException {
        AtomicInteger arrived = new AtomicInteger();
        router.instance(
                "only",
                (request, in, out) -> {
                    if (arrived.incrementAndGet() == 1) {
                        return false;
                    }
                    TestInstance.text(out, "recovered");
                    return true;
                });
        assertThat(router.get("/").text()).isEqualTo("recovered");
        assertThat(router.backends().wanted().getLast().avoided()).contains("only");
    }

    @Test
    void aStoppedVersionIsReported() throws IOException {
        route("stopped");
        RawClient.Response response = router.get("/");
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.header("retry-after")).isEqualTo("7");
        assertThat(response.text()).contains("The version is stopped.");
    }

    @Test
    void aDefectOfTheAssemblyIsAnInternalError() throws Exception {
        route("defective");
        assertThat(router.get("/").status()).isEqualTo(500);
        TestRouter.waitFor(() -> router.router().running() == 0);
    }
}
