package petrichor.apps.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import petrichor.apps.router.http.MessageLimits;
import petrichor.apps.router.table.ErrorPages;
import petrichor.apps.router.table.UrlHandler;
import petrichor.apps.router.table.VersionRoutes;

/** Each limit, just below and just above. */
final class LimitsTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofMinutes(5);

    private static RouterLimits messages(RouterLimits limits, MessageLimits requests) {
        return new RouterLimits(
                requests,
                new MessageLimits(1 << 10, 8 << 10, 50, 1 << 10, 100_000),
                limits.connections(),
                limits.concurrency(),
                limits.instances(),
                limits.files());
    }

    private static RouterLimits connections(
            RouterLimits limits, RouterLimits.Connections connections) {
        return new RouterLimits(
                limits.requests(),
                limits.responses(),
                connections,
                limits.concurrency(),
                limits.instances(),
                limits.files());
    }

    private static RouterLimits concurrency(RouterLimits limits, int total, int perApp) {
        return new RouterLimits(
                limits.requests(),
                limits.responses(),
                limits.connections(),
                new RouterLimits.Concurrency(total, perApp),
                limits.instances(),
                limits.files());
    }

    private static void timeouts(TestRouter router, VersionRoutes.Timeouts timeouts) {
        router.router().setTable(TestRouter.table(TestRouter.version(TestRouter.V1, timeouts)));
    }

    @Test
    void requestsAreLimitedInLengthFieldsAndBody() throws IOException {
        MessageLimits small = new MessageLimits(2_000, 4_000, 20, 1_000, 10_000);
        try (TestRouter router = TestRouter.limited(limits -> messages(limits, small))) {
            router.add(TestInstance.named("i1"));
            assertThat(router.get("/" + "a".repeat(1_900)).status()).isEqualTo(200);
            assertThat(router.get("/" + "a".repeat(2_100)).status()).isEqualTo(414);
            assertThat(router.get("/", "X: " + "a".repeat(3_900)).status()).isEqualTo(200);
            assertThat(router.get("/", "X: " + "a".repeat(4_100)).status()).isEqualTo(431);
            assertThat(router.get("/", fields(19)).status()).isEqualTo(200);
            assertThat(router.get("/", fields(20)).status()).isEqualTo(431);
            assertThat(post(router, 10_000)).isEqualTo(200);
            assertThat(post(router, 10_001)).isEqualTo(413);
            assertThat(postChunks(router, 10)).isEqualTo(200);
            assertThat(postChunks(router, 11)).isEqualTo(413);
        }
    }

    private static String[] fields(int count) {
        String[] fields = new String[count];
        for (int i = 0; i < count; i++) {
            fields[i] = "X-" + i + ": 1";
        }
        return fields;
    }

    private static int post(TestRouter router, int bytes) throws IOException {
        try (RawClient client = router.client()) {
            client.send(
                    TestInstance.head(
                            "POST / HTTP/1.1", "Host: demo.localhost", "Content-Length: " + bytes));
            return client.send("x".repeat(bytes)).read().status();
        }
    }

    private static int postChunks(TestRouter router, int thousands) throws IOException {
        try (RawClient client = router.client()) {
            client.send(
                    TestInstance.head(
                            "POST / HTTP/1.1",
                            "Host: demo.localhost",
                            "Transfer-Encoding: chunked"));
            String chunk = "3e8\r\n" + "x".repeat(1_000) + "\r\n";
            return client.send(chunk.repeat(thousands) + "0\r\n\r\n").read().status();
        }
    }

    @Test
    void responsesAreLimitedInFieldsAndBody() throws IOException {
        try (TestRouter router =
                TestRouter.limited(limits -> messages(limits, MessageLimits.REQUESTS))) {
            router.instance(
                    "i1",
                    (request, in, out) -> {
                        String[] what = request.path().substring(1).split("-", 2);
                        int size = Integer.parseInt(what[1]);
                        String field = what[0].equals("header") ? "X: " + "a".repeat(size) : "Y: b";
                        TestInstance.raw(
                                out,
                                TestInstance.head(
                                        "HTTP/1.1 200 OK", field, "Transfer-Encoding: chunked"));
                        int body = what[0].equals("body") ? size : 1;
                        TestInstance.raw(
                                out,
                                Integer.toHexString(body)
                                        + "\r\n"
                                        + "b".repeat(body)
                                        + "\r\n0\r\n\r\n");
                        return true;
                    });
            assertThat(router.get("/header-8000").status()).isEqualTo(200);
            assertThat(router.get("/header-9000").status()).isEqualTo(502);
            assertThat(router.get("/body-100000").body()).hasSize(100_000);
            try (RawClient client = router.client()) {
                client.send(ProxyTest.get("/body-100001"));
                assertThat(client.rest()).as("cut off").doesNotEndWith("0\r\n\r\n");
            }
        }
    }

    @Test
    void aConnectionCarriesALimitedNumberOfRequests() throws IOException {
        try (TestRouter router =
                TestRouter.limited(
                        limits ->
                                connections(
                                        limits,
                                        new RouterLimits.Connections(
                                                100, 3, 10, LONG, LONG, 64 << 10)))) {
            router.add(TestInstance.named("i1"));
            try (RawClient client = router.client()) {
                assertThat(client.exchange(ProxyTest.get("/1")).header("connection")).isEmpty();
                assertThat(client.exchange(ProxyTest.get("/2")).header("connection")).isEmpty();
                assertThat(client.exchange(ProxyTest.get("/3")).header("connection"))
                        .isEqualTo("close");
                assertThat(client.rest()).isEmpty();
            }
        }
    }

    @Test
    void connectionsOverTheLimitAreClosed() throws Exception {
        try (TestRouter router =
                TestRouter.limited(
                        limits ->
                                connections(
                                        limits,
                                        new RouterLimits.Connections(
                                                2, 100, 10, LONG, LONG, 64 << 10)))) {
            router.add(TestInstance.named("i1"));
            try (RawClient first = router.client();
                    RawClient second = router.client()) {
                assertThat(first.exchange(ProxyTest.get("/")).status()).isEqualTo(200);
                assertThat(second.exchange(ProxyTest.get("/")).status()).isEqualTo(200);
                try (RawClient third = router.client()) {
                    assertThat(third.rest()).isEmpty();
                }
                assertThat(router.router().metrics().refusedConnections()).isEqualTo(1);
            }
            TestRouter.waitFor(() -> router.router().metrics().connections() == 0);
            assertThat(router.get("/").status()).isEqualTo(200);
        }
    }

    @Test
    void idleConnectionsAndSlowHeadersAreClosed() throws IOException {
        try (TestRouter router =
                TestRouter.limited(
                        limits ->
                                connections(
                                        limits,
                                        new RouterLimits.Connections(
                                                100, 100, 10, SHORT, LONG, 64 << 10)))) {
            router.add(TestInstance.named("i1"));
            try (RawClient silent = router.client();
                    RawClient idle = router.client();
                    RawClient slow = router.client()) {
                assertThat(idle.exchange(ProxyTest.get("/")).status()).isEqualTo(200);
                slow.send("GET / HTTP/1.1\r\nHost: demo.localhost\r\nX: ");
                assertThat(silent.rest()).isEmpty();
                assertThat(idle.rest()).isEmpty();
                assertThat(slow.rest()).isEmpty();
            }
        }
    }

    @Test
    void clientsThatStopSendingOrReadingAreDisconnected() throws IOException {
        try (TestRouter router =
                TestRouter.limited(
                        limits ->
                                connections(
                                        limits,
                                        new RouterLimits.Connections(
                                                100, 100, 10, LONG, SHORT, 64 << 10)))) {
            router.instance(
                    "i1",
                    (request, in, out) -> {
                        if (request.line().startsWith("POST")) {
                            request.body(in);
                        }
                        TestInstance.raw(out, TestInstance.head("HTTP/1.1 200 OK"));
                        byte[] block = new byte[64 << 10];
                        while (true) {
                            out.write(block);
                        }
                    });
            try (RawClient sender = router.client();
                    RawClient reader = router.client()) {
                sender.send(
                        TestInstance.head(
                                        "POST / HTTP/1.1",
                                        "Host: demo.localhost",
                                        "Content-Length: 10")
                                + "abc");
                reader.send(ProxyTest.get("/"));
                assertThat(sender.read().status()).isEqualTo(408);
                assertThat(waitForReset(router)).isTrue();
            }
        }
    }

    private static boolean waitForReset(TestRouter router) {
        try {
            TestRouter.waitFor(() -> router.router().metrics().aborted() == 1);
            return true;
        } catch (InterruptedException interrupted) {
            return false;
        }
    }

    @Test
    void anAppThatDoesNotAnswerIsAGatewayTimeout() throws IOException {
        try (TestRouter router = TestRouter.open()) {
            router.instance("i1", (request, in, out) -> in.read() >= 0);
            timeouts(router, new VersionRoutes.Timeouts(SHORT, LONG, LONG));
            assertThat(router.get("/").status()).isEqualTo(504);
            timeouts(router, new VersionRoutes.Timeouts(LONG, LONG, SHORT));
            assertThat(router.get("/").status()).isEqualTo(504);
            assertThat(router.backends().uses())
                    .containsExactly(Backends.Use.TIMED_OUT, Backends.Use.TIMED_OUT);
        }
    }

    @Test
    void aRequestWaitsForAColdStartWithinItsTime() throws Exception {
        try (TestRouter router = TestRouter.open()) {
            try (RawClient client = router.client()) {
                client.send(ProxyTest.get("/"));
                TestRouter.waitFor(() -> router.backends().waiting() == 1);
                TestInstance started = TestInstance.named("started");
                router.add(started);
                assertThat(client.read().text()).isEqualTo("started");
                router.backends().remove(TestRouter.V1, started);
            }
            timeouts(router, new VersionRoutes.Timeouts(LONG, SHORT, LONG));
            RawClient.Response response = router.get("/");
            assertThat(response.status()).isEqualTo(503);
            assertThat(response.header("retry-after")).isNotEmpty();
            assertThat(router.backends().allCancelled()).isTrue();
        }
    }

    @Test
    void aClientThatDisconnectsNoLongerWaits() throws Exception {
        try (TestRouter router = TestRouter.open()) {
            try (RawClient client = router.client()) {
                client.send(ProxyTest.get("/"));
                TestRouter.waitFor(() -> router.backends().waiting() == 1);
            }
            TestRouter.waitFor(() -> router.backends().allCancelled());
            assertThat(router.router().running()).isZero();
        }
    }

    @Test
    void busyAppsLeavePlacesForOthers() throws Exception {
        try (TestRouter router = TestRouter.limited(limits -> concurrency(limits, 8, 6))) {
            CountDownLatch finish = new CountDownLatch(1);
            router.instance(
                    "i1",
                    (request, in, out) -> {
                        ProxyTest.await(finish);
                        TestInstance.text(out, "done");
                        return true;
                    });
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                RawClient client = router.client();
                clients.add(client.send(ProxyTest.get("/" + i)));
                int expected = i + 1;
                TestRouter.waitFor(() -> router.router().running() == expected);
            }
            RawClient.Response refused = router.get("/one-too-many");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("retry-after")).isEqualTo("1");
            assertThat(router.router().metrics().refusedByAdmission()).isEqualTo(1);
            finish.countDown();
            for (RawClient client : clients) {
                assertThat(client.read().text()).isEqualTo("done");
                client.close();
            }
        }
    }

    @Test
    void placesAreSharedAmongBusyApps() {
        RequestAdmission admission = new RequestAdmission(new RouterLimits.Concurrency(30, 12));
        int ofA = enterAll(admission, "a");
        int ofB = enterAll(admission, "b");
        int ofC = enterAll(admission, "c");
        assertThat(ofA).as("the limit of one app").isEqualTo(12);
        assertThat(ofB).isEqualTo(9);
        assertThat(ofC).isEqualTo(5);
        assertThat(admission.enter("d")).isNotNull();
    }

    private static int enterAll(RequestAdmission admission, String app) {
        int entered = 0;
        while (admission.enter(app) != null) {
            entered++;
        }
        return entered;
    }

    @Test
    void appsHaveTheirOwnErrorPages() throws IOException {
        try (TestRouter router = TestRouter.open()) {
            router.instance(
                    "i1", (request, in, out) -> request.path().equals("/slow") && in.read() >= 0);
            ErrorPages pages =
                    new ErrorPages(
                            java.util.Map.of(
                                    ErrorPages.Kind.DEFAULT,
                                    page("<b>broken</b>"),
                                    ErrorPages.Kind.TIMEOUT,
                                    page("<b>slow</b>")));
            router.router()
                    .setTable(
                            TestRouter.table(
                                    new VersionRoutes(
                                            TestRouter.V1,
                                            List.of(UrlHandler.instances()),
                                            pages,
                                            new VersionRoutes.Timeouts(SHORT, LONG, LONG))));
            RawClient.Response slow = router.get("/slow");
            assertThat(slow.text()).isEqualTo("<b>slow</b>");
            assertThat(slow.status()).isEqualTo(504);
            RawClient.Response broken = router.get("/");
            assertThat(broken.text()).isEqualTo("<b>broken</b>");
            assertThat(broken.status()).isEqualTo(502);
            assertThat(broken.header("content-type")).isEqualTo("text/html");
        }
    }

    private static ErrorPages.Page page(String html) {
        return new ErrorPages.Page(
                html.getBytes(java.nio.charset.StandardCharsets.UTF_8), "text/html");
    }

    @Test
    void aClosedRouterFinishesItsRequests() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        try (TestRouter router = TestRouter.open()) {
            router.instance(
                    "i1",
                    (request, in, out) -> {
                        arrived.countDown();
                        ProxyTest.await(finish);
                        TestInstance.text(out, "finished");
                        return true;
                    });
            try (RawClient busy = router.client();
                    RawClient idle = router.client()) {
                busy.send(ProxyTest.get("/"));
                ProxyTest.await(arrived);
                Thread closing = Thread.ofVirtual().start(() -> router.router().close(LONG));
                assertThat(idle.rest()).isEmpty();
                finish.countDown();
                assertThat(busy.read().text()).isEqualTo("finished");
                assertThat(closing.join(Duration.ofSeconds(30))).isTrue();
            }
        }
    }

    /** The router does not read ahead of a slow instance, nor write ahead of a slow client. */
    @Test
    void aSlowSideStopsTheOtherInsteadOfFillingMemory() throws Exception {
        long large = 1L << 30;
        try (TestRouter router = TestRouter.open()) {
            long[] sent = new long[1];
            CountDownLatch stop = new CountDownLatch(1);
            router.instance(
                    "i1",
                    (request, in, out) -> {
                        if (request.line().startsWith("PUT")) {
                            ProxyTest.await(stop);
                            return false;
                        }
                        TestInstance.raw(
                                out,
                                TestInstance.head("HTTP/1.1 200 OK", "Content-Length: " + large));
                        byte[] block = new byte[64 << 10];
                        for (long at = 0; at < large; at += block.length) {
                            out.write(block);
                            sent[0] = at;
                        }
                        return true;
                    });
            try (RawClient slow = router.client()) {
                slow.send(ProxyTest.get("/"));
                slow.head();
                assertThat(settled(sent))
                        .as("bytes that the instance could send")
                        .isLessThan(64 << 20);
            }
            long[] written = new long[1];
            try (RawClient fast = router.client()) {
                fast.send(
                        TestInstance.head(
                                "PUT / HTTP/1.1",
                                "Host: demo.localhost",
                                "Content-Length: " + (32 << 20)));
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    byte[] block = new byte[64 << 10];
                                    try {
                                        for (int i = 0; i < 512; i++) {
                                            fast.send(block);
                                            written[0] += block.length;
                                        }
                                    } catch (SocketException closed) {
                                        // the test has ended
                                    } catch (IOException failed) {
                                        throw new java.io.UncheckedIOException(failed);
                                    }
                                });
                assertThat(settled(written)).isLessThan(32 << 20);
            }
            stop.countDown();
        }
    }

    /** The value after it has not changed for a second. */
    private static long settled(long[] value) throws InterruptedException {
        long[] last = {-1};
        int[] same = {0};
        TestRouter.waitFor(
                () -> {
                    same[0] = value[0] == last[0] ? same[0] + 1 : 0;
                    last[0] = value[0];
                    return same[0] > 200;
                });
        return last[0];
    }
}
