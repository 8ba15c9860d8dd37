package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.apps.router.table.HandlerTarget;
import petrichor.apps.router.table.Protection;
import petrichor.apps.router.table.UrlHandler;
import petrichor.apps.router.table.VersionRoutes;

/** Handlers with a login, or for one scheme. */
final class ProtectionTest {
    private final AtomicReference<CompletableFuture<Visitor>> slow = new AtomicReference<>();
    private final TestRouter router =
            TestRouter.open(
                    settings -> settings,
                    plain ->
                            new AppRouter.Surroundings(
                                    plain.backends(),
                                    (request, headers) -> {
                                        if (request.sender().visitor()
                                                instanceof Visitor.SignedIn user) {
                                            headers.set("X-AppEngine-User-Email", user.email());
                                        }
                                    },
                                    new CookieVisitors(),
                                    plain.log(),
                                    plain.certificates(),
                                    plain.sources()));
    private final TestInstance instance = router.add(TestInstance.named("app"));

    private final class CookieVisitors implements Visitors {
        @Override
        public CompletableFuture<Visitor> visitor(RequestView request) {
            CompletableFuture<Visitor> later = slow.get();
            if (later != null) {
                return later;
            }
            return CompletableFuture.completedFuture(
                    switch (request.headers().get("Cookie", "")) {
                        case "user" -> new Visitor.SignedIn("1", "user@example.com", false);
                        case "admin" -> new Visitor.SignedIn("2", "admin@example.com", true);
                        default -> new Visitor.Anonymous();
                    });
        }

        @Override
        public String loginUrl(RequestView request) {
            return "/_ah/login?continue=" + request.address().uri();
        }
    }

    @BeforeEach
    void routes() {
        route(
                handler("/user.*", Protection.Login.REQUIRED, Protection.AuthFail.REDIRECT),
                handler("/admin/.*", Protection.Login.ADMIN, Protection.AuthFail.UNAUTHORIZED),
                UrlHandler.of(
                        "/secure",
                        new Protection(
                                Protection.Login.OPTIONAL,
                                Protection.AuthFail.REDIRECT,
                                Protection.Secure.ALWAYS,
                                301),
                        new HandlerTarget.Instances()),
                UrlHandler.of(
                        "/never",
                        new Protection(
                                Protection.Login.OPTIONAL,
                                Protection.AuthFail.REDIRECT,
                                Protection.Secure.NEVER,
                                302),
                        new HandlerTarget.Instances()),
                UrlHandler.instances());
    }

    private void route(UrlHandler... handlers) {
        router.router()
                .setTable(
                        TestRouter.table(
                                new VersionRoutes(
                                        TestRouter.V1,
                                        List.of(handlers),
                                        new petrichor.apps.router.table.ErrorPages(Map.of()),
                                        VersionRoutes.Timeouts.DEFAULT)));
    }

    private static UrlHandler handler(
            String url, Protection.Login login, Protection.AuthFail authFail) {
        return UrlHandler.of(
                url,
                new Protection(login, authFail, Protection.Secure.OPTIONAL, 302),
                new HandlerTarget.Instances());
    }

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void usersWhoAreNotSignedInAreSentToTheLoginPage() throws IOException {
        RawClient.Response response = router.get("/user?x=1");
        assertThat(response.status()).isEqualTo(302);
        assertThat(response.header("location")).isEqualTo("/_ah/login?continue=/user?x=1");
        assertThat(router.get("/user", "Cookie: user").status()).isEqualTo(200);
        assertThat(instance.last().header("x-appengine-user-email")).isEqualTo("user@example.com");
        assertThat(router.get("/open").status()).isEqualTo(200);
        assertThat(instance.last().header("x-appengine-user-email")).isEmpty();
        router.get("/open", "Cookie: user");
        assertThat(instance.last().header("x-appengine-user-email")).isEqualTo("user@example.com");
    }

    @Test
    void onlyAdministratorsReachTheirPages() throws IOException {
        assertThat(router.get("/admin/x").status()).isEqualTo(401);
        assertThat(router.get("/admin/x", "Cookie: user").status()).isEqualTo(403);
        assertThat(router.get("/admin/x", "Cookie: admin").status()).isEqualTo(200);
        assertThat(
                        router.get(
                                        "/admin/task",
                                        RouterSettings.PLATFORM_FIELD + ": " + TestRouter.TOKEN)
                                .status())
                .isEqualTo(200);
    }

    /** Servers decode paths in different ways; each reading must be allowed. */
    @Test
    void noSpellingOfAPathAvoidsTheLogin() throws IOException {
        String[] paths = {
            "/admin/x",
            "/%61dmin/x",
            "//admin/x",
            "/./admin/x",
            "/y/../admin/x",
            "/admin%2fx",
            "/admin//x",
            "/admin;a=b/x",
            "/;/admin/x",
            "\\admin\\x",
            "/\\admin/x",
            "/%5cadmin/x",
        };
        for (String path : paths) {
            RawClient.Response response = router.get(path);
            assertThat(response.status()).as(path).isIn(401, 400);
        }
        assertThat(instance.requests()).isEmpty();
    }

    @Test
    void schemesAreRedirected() throws IOException {
        RawClient.Response response = router.get("/secure?a=b", "Host: demo.localhost:8080");
        assertThat(response.status()).isEqualTo(301);
        assertThat(response.header("location")).isEqualTo("https://demo.localhost:8443/secure?a=b");
        assertThat(router.get("/never").status()).isEqualTo(200);
    }

    @Test
    void aSlowSessionLookupUsesTheTableAfterwards() throws Exception {
        CompletableFuture<Visitor> later = new CompletableFuture<>();
        slow.set(later);
        try (RawClient client = router.client()) {
            client.send(
                    TestInstance.head(
                                    "POST /user HTTP/1.1",
                                    "Host: demo.localhost",
                                    "Content-Length: 4")
                            + "body");
            TestRouter.waitFor(() -> router.router().running() == 1);
            route(handler("/user", Protection.Login.ADMIN, Protection.AuthFail.UNAUTHORIZED));
            later.complete(new Visitor.SignedIn("1", "user@example.com", false));
            assertThat(client.read().status()).isEqualTo(403);
        }
        slow.set(CompletableFuture.failedFuture(new IllegalStateException("broken")));
        assertThat(router.get("/user").status()).isEqualTo(500);
    }

    @Test
    void aBodyThatArrivedDuringASlowLookupIsSent() throws Exception {
        router.backends().remove(TestRouter.V1, instance);
        TestInstance echo =
                router.instance(
                        "echo",
                        (request, in, out) -> {
                            TestInstance.text(out, new String(request.body(in), UTF_8));
                            return true;
                        });
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Visitor> later = new CompletableFuture<>();
            slow.set(later);
            try (RawClient client = router.client()) {
                client.send(
                        TestInstance.head(
                                        "POST /user HTTP/1.1",
                                        "Host: demo.localhost",
                                        "Content-Length: 4")
                                + "body");
                TestRouter.waitFor(() -> router.router().running() == 1);
                later.complete(new Visitor.SignedIn("1", "user@example.com", false));
                assertThat(client.read().text()).isEqualTo("body");
            }
        }
        assertThat(echo.requests()).hasSize(10);
    }
}
