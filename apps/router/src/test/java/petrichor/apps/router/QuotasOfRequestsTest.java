package petrichor.apps.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import petrichor.apps.router.table.AppRoutes;
import petrichor.apps.router.table.ErrorPages;
import petrichor.apps.router.table.RequestLimits;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.table.ServiceRoutes;
import petrichor.apps.router.table.TrafficSplit;
import petrichor.apps.router.table.UrlHandler;
import petrichor.apps.router.table.VersionRoutes;

/** What the operator lets visitors of an app do. */
final class QuotasOfRequestsTest {
    private static void limit(TestRouter router, RequestLimits limits) {
        limit(router, limits, ErrorPages.NONE);
    }

    private static void limit(TestRouter router, RequestLimits limits, ErrorPages pages) {
        VersionRoutes version =
                new VersionRoutes(
                        TestRouter.V1,
                        List.of(UrlHandler.instances()),
                        pages,
                        VersionRoutes.Timeouts.DEFAULT);
        ServiceRoutes service =
                new ServiceRoutes("default", Map.of("v1", version), TrafficSplit.all("v1"));
        AppRoutes app =
                new AppRoutes("demo", Map.of("default", service), List.of(), List.of(), limits);
        router.router()
                .setTable(
                        new RoutingTable(
                                "localhost", Optional.of("demo"), Map.of("demo", app), Map.of()));
    }

    private static RequestLimits rate(long perMinute, long burst) {
        return new RequestLimits(
                Optional.of(new RequestLimits.Rate(perMinute, burst)), Optional.empty());
    }

    @Test
    void requestsOverTheQuotaAreRefusedWithTheTimeToWait() throws IOException {
        try (TestRouter router = TestRouter.open()) {
            router.add(TestInstance.named("a"));
            limit(router, rate(1, 3));
            for (int i = 0; i < 3; i++) {
                assertThat(router.get("/").status()).isEqualTo(200);
            }
            RawClient.Response refused = router.get("/", "Accept: application/json");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(Long.parseLong(refused.header("retry-after"))).isBetween(50L, 60L);
            assertThat(refused.text())
                    .contains("\"message\":\"The app is over its quota of requests per minute.\"");
            assertThat(router.get("/").text()).contains("<p>The app is over its quota");
            // the platform's own requests, such as uploads that it forwards, are not a visitor's
            assertThat(
                            router.get("/", RouterSettings.PLATFORM_FIELD + ": " + TestRouter.TOKEN)
                                    .status())
                    .isEqualTo(200);
            assertThat(router.router().use("demo")).isEqualTo(new RequestUse(3, 2));
        }
    }

    @Test
    void aChangeAppliesToTheNextRequest() throws IOException {
        try (TestRouter router = TestRouter.open()) {
            router.add(TestInstance.named("a"));
            limit(router, rate(1, 1));
            assertThat(router.get("/").status()).isEqualTo(200);
            assertThat(router.get("/").status()).isEqualTo(503);
            limit(router, rate(1, 3));
            assertThat(router.get("/").status()).isEqualTo(200);
            assertThat(router.get("/").status()).isEqualTo(200);
            assertThat(router.get("/").status()).isEqualTo(503);
            limit(router, RequestLimits.NONE);
            assertThat(router.get("/").status()).isEqualTo(200);
        }
    }

    @Test
    void theAppsOwnPageExplainsTheQuota() throws IOException {
        try (TestRouter router = TestRouter.open()) {
            router.add(TestInstance.named("a"));
            limit(
                    router,
                    rate(1, 1),
                    new ErrorPages(
                            Map.of(
                                    ErrorPages.Kind.OVER_QUOTA,
                                    new ErrorPages.Page(
                                            new byte[] {'b', 'u', 's', 'y'}, "text/plain"))));
            assertThat(router.get("/").status()).isEqualTo(200);
            assertThat(router.get("/").text()).isEqualTo("busy");
        }
    }

    @Test
    void aRaceAdmitsNoMoreThanTheBurst() throws Exception {
        int burst = 100;
        int clients = 8;
        int each = 40;
        try (TestRouter router = TestRouter.open()) {
            router.add(TestInstance.named("a"));
            limit(router, rate(1, burst));
            CountDownLatch begin = new CountDownLatch(1);
            List<Future<Integer>> counts = new ArrayList<>();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < clients; i++) {
                    counts.add(
                            threads.submit(
                                    () -> {
                                        begin.await();
                                        int admitted = 0;
                                        for (int n = 0; n < each; n++) {
                                            admitted += router.get("/").status() == 200 ? 1 : 0;
                                        }
                                        return admitted;
                                    }));
                }
                begin.countDown();
                int sum = 0;
                for (Future<Integer> count : counts) {
                    sum += count.get();
                }
                // one more if a minute has passed
                assertThat(sum).isBetween(burst, burst + 1);
            }
        }
    }

    @Test
    void theLongestRequestIsCutAtTheInstance() throws Exception {
        try (TestRouter router = TestRouter.open()) {
            CountDownLatch cut = new CountDownLatch(1);
            router.instance(
                    "a",
                    (request, in, out) -> {
                        if (request.path().equals("/fast")) {
                            TestInstance.text(out, "done");
                            return true;
                        }
                        // ends when the router closes the connection
                        var _ = in.read();
                        cut.countDown();
                        return false;
                    });
            limit(router, new RequestLimits(Optional.empty(), Optional.of(Duration.ofMillis(300))));
            assertThat(router.get("/fast").text()).isEqualTo("done");
            RawClient.Response late = router.get("/slow");
            assertThat(late.status()).isEqualTo(504);
            assertThat(late.text()).contains("The app did not answer in time.");
            cut.await();
        }
    }

    @Test
    void aLongerQuotaThanTheVersionsOwnTimeChangesNothing() {
        RequestLimits day = new RequestLimits(Optional.empty(), Optional.of(Duration.ofDays(1)));
        assertThat(day.within(VersionRoutes.Timeouts.DEFAULT))
                .isEqualTo(VersionRoutes.Timeouts.DEFAULT);
    }
}
