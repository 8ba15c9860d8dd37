package petrichor.apps.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Fields that apps trust, and paths that only the platform may use. */
final class TrustedHeadersTest {
    private static final String[] FORGED = {
        "X-AppEngine-User-Id",
        "X-Appengine-Api-Ticket",
        "x-appengine-cron",
        "X-APPENGINE-QUEUENAME",
        "X-Google-Internal",
        "X-Goog-IAP-JWT-Assertion",
        "X-Goog-Authenticated-User-Email",
        "X-Forwarded-For",
        "X-Forwarded-Proto",
        "X-Forwarded-Host",
        "X-Forwarded-Anything",
        "X-CloudTasks-QueueName",
        "X-Petrichor-Anything",
        "X-Real-IP",
        "Forwarded",
        "X-HTTP2-Stream-Id",
        "X_AppEngine_User_Id",
        "X-AppEngine_User-Id",
        "X.AppEngine.User.Id",
        "x_forwarded_for",
        "Content_Length",
        "Proxy-Connection",
        "Proxy-Authorization",
        "Keep-Alive",
        "TE",
        "HTTP2-Settings",
    };

    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicReference<RequestView> seen = new AtomicReference<>();
    private final TestRouter router =
            TestRouter.open(
                    settings -> settings,
                    plain ->
                            new AppRouter.Surroundings(
                                    plain.backends(),
                                    new RequestHeaders() {
                                        @Override
                                        public void set(
                                                RequestView request,
                                                io.netty.handler.codec.http.HttpHeaders headers) {
                                            seen.set(request);
                                            headers.set("X-AppEngine-Api-Ticket", "real");
                                        }

                                        @Override
                                        public void ended(RequestView request) {
                                            ended.incrementAndGet();
                                        }
                                    }.and(RequestHeaders.forwarded()),
                                    plain.visitors(),
                                    plain.log(),
                                    plain.certificates(),
                                    plain.sources()));
    private final TestInstance instance = router.add(TestInstance.named("i1"));

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void noFieldThatAppsTrustPassesFromOutside() throws IOException {
        for (String name : FORGED) {
            router.get("/", name + ": forged");
            assertThat(instance.last().headers())
                    .as(name)
                    .allSatisfy((_, value) -> assertThat(value).doesNotContain("forged"));
            assertThat(instance.last().header("x-appengine-api-ticket")).isEqualTo("real");
            assertThat(instance.last().header("x-forwarded-for")).isEqualTo("127.0.0.1");
            assertThat(instance.last().header("x-forwarded-proto")).isEqualTo("http");
        }
    }

    @Test
    void fieldsThatOnlyLookSimilarPass() throws IOException {
        router.get("/", "X-App: 1", "X-Forward: 2", "X_Custom: 3", "From: 4");
        assertThat(instance.last().header("x-app")).isEqualTo("1");
        assertThat(instance.last().header("x-forward")).isEqualTo("2");
        assertThat(instance.last().header("x_custom")).isEqualTo("3");
        assertThat(instance.last().header("from")).isEqualTo("4");
    }

    @Test
    void fieldsOfTheConnectionDoNotPass() throws IOException {
        router.get("/", "Connection: close, X-Mine, X-AppEngine-Api-Ticket", "X-Mine: 1", "X-B: 2");
        assertThat(instance.last().header("x-mine")).isEmpty();
        assertThat(instance.last().header("connection")).isEmpty();
        assertThat(instance.last().header("x-b")).isEqualTo("2");
        assertThat(instance.last().header("x-appengine-api-ticket")).isEqualTo("real");
    }

    @Test
    void thePlatformSeesTheRequestAndItsEnd() throws Exception {
        router.get(
                "/a?b=c", "traceparent: 00-0123456789abcdef0123456789abcdef-0123456789abcdef-01");
        RequestView view = seen.get();
        assertThat(view.address().uri()).isEqualTo("/a?b=c");
        assertThat(view.version()).isEqualTo(TestRouter.V1);
        assertThat(view.ids().trace()).isEqualTo("0123456789abcdef0123456789abcdef");
        assertThat(view.ids().request()).hasSize(32);
        assertThat(instance.last().header("traceparent"))
                .startsWith("00-0123456789abcdef0123456789abcdef-")
                .doesNotContain("-0123456789abcdef-01");
        TestRouter.waitFor(() -> ended.get() == 1);
    }

    @Test
    void thePlatformItselfMaySetTrustedFields() throws IOException {
        String token = RouterSettings.PLATFORM_FIELD + ": ";
        router.get("/_ah/queue/x", token + TestRouter.TOKEN, "X-AppEngine-QueueName: q");
        assertThat(instance.last().path()).isEqualTo("/_ah/queue/x");
        assertThat(instance.last().header("x-appengine-queuename")).isEqualTo("q");
        assertThat(instance.last().headers())
                .as("an app must not learn the token")
                .allSatisfy((_, value) -> assertThat(value).doesNotContain(TestRouter.TOKEN));
        assertThat(router.get("/_ah/queue/x", token + TestRouter.TOKEN + "0").status())
                .isEqualTo(404);
        router.get("/", token + "wrong", "X-AppEngine-QueueName: q");
        assertThat(instance.last().header("x-appengine-queuename")).isEmpty();
        assertThat(instance.last().headers())
                .allSatisfy((_, value) -> assertThat(value).doesNotContain("wrong"));
    }

    @Test
    void internalPathsDoNotExistOutside() throws IOException {
        String[] paths = {
            "/_ah/start",
            "/_ah/warmup",
            "/_ah/stop",
            "/_ah",
            "/_ah/",
            "/_AH/start",
            "//_ah/start",
            "/./_ah/start",
            "/x/../_ah/start",
            "/%5fah/start",
            "/_ah%2fstart",
            "/%2f_ah/start",
            "/_%61h/queue/deferred",
            "/_ah;x=1/start",
            "/;x/_ah/start",
            "/\\_ah/start",
            "/_ah\\start",
            "/%5c_ah/start",
            "/_ah/start?x=1",
            "/_ah/uploads",
            "/_ah/upload/../start",
            "http://demo.localhost/_ah/start",
        };
        for (String path : paths) {
            RawClient.Response response = router.get(path, "Accept: application/json");
            assertThat(response.status()).as(path).isEqualTo(404);
            assertThat(response.text()).as(path).contains("internal to the platform");
        }
        assertThat(instance.requests()).isEmpty();
    }

    @Test
    void openPathsGoToThePlatformsServer() throws IOException {
        TestInstance platform = TestInstance.named("platform");
        router.backends().add(petrichor.apps.router.table.OpenPath.platform("demo"), platform);
        assertThat(router.get("/_ah/upload/abc").text()).isEqualTo("platform");
        assertThat(router.get("/_ah/upload").text()).isEqualTo("platform");
        assertThat(instance.requests()).isEmpty();
        platform.close();
    }
}
