package petrichor.apps.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.apps.router.table.ServiceRoutes;
import petrichor.apps.router.table.TrafficSplit;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;

/** New versions and traffic splits while requests run. */
final class SwitchTest {
    private static final int REQUESTS = 10_000;
    private static final int SWITCHES = 20;
    private static final int CLIENTS = 8;

    private final TestRouter router = TestRouter.open();

    @AfterEach
    void close() {
        router.close();
    }

    private static VersionName name(String version) {
        return new VersionName("demo", "default", version);
    }

    private void route(String version) {
        router.router()
                .setTable(
                        TestRouter.table(
                                TestRouter.version(name(version), VersionRoutes.Timeouts.DEFAULT)));
    }

    @Test
    void switchesUnderLoadFailNoRequest() throws Exception {
        ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
        AtomicInteger started = new AtomicInteger();
        AtomicInteger answered = new AtomicInteger();
        TestInstance current = TestInstance.named("v0");
        router.backends().add(name("v0"), current);
        route("v0");
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            clients.add(Thread.ofVirtual().start(() -> load(client, started, answered, failures)));
        }
        for (int i = 1; i <= SWITCHES; i++) {
            int due = i * (REQUESTS / (SWITCHES + 1));
            TestRouter.waitFor(() -> started.get() >= due || !failures.isEmpty());
            TestInstance next = TestInstance.named("v" + i);
            router.backends().add(name("v" + i), next);
            route("v" + i);
            TestInstance old = current;
            String oldVersion = "v" + (i - 1);
            router.backends().remove(name(oldVersion), old);
            TestRouter.waitFor(() -> router.backends().running(old) == 0);
            old.close();
            current = next;
        }
        for (Thread client : clients) {
            assertThat(client.join(Duration.ofMinutes(2))).isTrue();
        }
        assertThat(failures).isEmpty();
        assertThat(answered).hasValue(REQUESTS);
        assertThat(current.requests()).as("the last switch had an effect").isNotEmpty();
        current.close();
    }

    private void load(
            int client,
            AtomicInteger started,
            AtomicInteger answered,
            ConcurrentLinkedQueue<String> failures) {
        try (RawClient connection = router.client()) {
            for (int n = started.getAndIncrement(); n < REQUESTS; n = started.getAndIncrement()) {
                String request =
                        (n + client) % 3 == 0
                                ? "POST /"
                                        + n
                                        + " HTTP/1.1\r\nHost: demo.localhost\r\n"
                                        + "Content-Length: 4\r\n\r\nbody"
                                : ProxyTest.get("/" + n);
                RawClient.Response response = connection.exchange(request);
                if (response.status() == 200 && response.text().startsWith("v")) {
                    answered.incrementAndGet();
                } else {
                    failures.add(response.status() + " " + response.text());
                }
            }
        } catch (IOException | RuntimeException failed) {
            failures.add(failed.toString());
        }
    }

    @Test
    void aRunningRequestFinishesOnItsOldInstance() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        TestInstance old =
                new TestInstance(
                        "old",
                        (request, in, out) -> {
                            arrived.countDown();
                            ProxyTest.await(finish);
                            TestInstance.text(out, "from the old one");
                            return true;
                        });
        router.backends().add(name("old"), old);
        route("old");
        TestInstance fresh = TestInstance.named("new");
        router.backends().add(name("new"), fresh);
        try (RawClient client = router.client()) {
            client.send(ProxyTest.get("/"));
            ProxyTest.await(arrived);
            route("new");
            assertThat(router.get("/").text()).isEqualTo("new");
            finish.countDown();
            assertThat(client.read().text()).isEqualTo("from the old one");
            assertThat(client.exchange(ProxyTest.get("/")).text()).isEqualTo("new");
        }
        old.close();
        fresh.close();
    }

    @Test
    void theCookieKeepsAClientOnItsVersion() throws IOException {
        TestInstance a = TestInstance.named("a");
        TestInstance b = TestInstance.named("b");
        router.backends().add(name("a"), a);
        router.backends().add(name("b"), b);
        split(TrafficSplit.By.COOKIE, 500);
        int ofB = 0;
        for (int i = 0; i < 60; i++) {
            RawClient.Response first = router.get("/");
            String cookie = first.header("set-cookie").split(";", 2)[0];
            assertThat(cookie).matches("GOOGAPPUID=\\d{1,3}");
            for (int again = 0; again < 3; again++) {
                RawClient.Response next = router.get("/", "Cookie: x=y; " + cookie);
                assertThat(next.text()).isEqualTo(first.text());
                assertThat(next.header("set-cookie")).isEmpty();
            }
            ofB += first.text().equals("b") ? 1 : 0;
        }
        assertThat(ofB).isBetween(5, 55);
        assertThat(router.get("/", "Cookie: GOOGAPPUID=1000").header("set-cookie")).isNotEmpty();
        a.close();
        b.close();
    }

    @Test
    void aSplitByAddressIsStable() throws IOException {
        TestInstance a = TestInstance.named("a");
        TestInstance b = TestInstance.named("b");
        router.backends().add(name("a"), a);
        router.backends().add(name("b"), b);
        split(TrafficSplit.By.IP, 500);
        String first = router.get("/").text();
        for (int i = 0; i < 20; i++) {
            RawClient.Response next = router.get("/");
            assertThat(next.text()).isEqualTo(first);
            assertThat(next.header("set-cookie")).isEmpty();
        }
        split(TrafficSplit.By.RANDOM, 500);
        int different = 0;
        for (int i = 0; i < 60; i++) {
            different += router.get("/").text().equals(first) ? 0 : 1;
        }
        assertThat(different).isBetween(5, 55);
        a.close();
        b.close();
    }

    private void split(TrafficSplit.By by, int shareOfB) {
        router.router()
                .setTable(
                        TestRouter.table(
                                new ServiceRoutes(
                                        "default",
                                        Map.of("a", plain("a"), "b", plain("b")),
                                        TrafficSplit.of(
                                                by, Map.of("a", 1000 - shareOfB, "b", shareOfB)))));
    }

    private static VersionRoutes plain(String version) {
        return TestRouter.version(name(version), VersionRoutes.Timeouts.DEFAULT);
    }
}
