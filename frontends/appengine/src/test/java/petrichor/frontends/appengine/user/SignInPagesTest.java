package petrichor.frontends.appengine.user;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.base.TimeSource;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.AuditLog;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.users.Account;
import petrichor.services.users.Accounts;
import petrichor.services.users.Directory;
import petrichor.services.users.Sessions;
import petrichor.services.users.SignIn;
import petrichor.transactions.databases.RowDatabases;

final class SignInPagesTest {
    private static final String EMAIL = "ann@example.com";
    private static final String PASSWORD = "correct horse";
    private static final Pattern TOKEN = Pattern.compile("name=\"token\" value=\"([^\"]+)\"");

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final AuditLog audit = AuditLog.off();
    private final Accounts accounts =
            new Accounts(() -> databases.open(Accounts.DATABASE), new SecureRandom());
    private final Sessions sessions = new Sessions(accounts, Duration.ofDays(1), TimeSource.SYSTEM);
    private final SignInPages pages =
            new SignInPages(
                    sessions,
                    new SignIn(accounts, Directory.NONE, TimeSource.SYSTEM),
                    Optional.empty(),
                    host -> host.endsWith(".apps.example"),
                    true);
    private final Map<String, String> jar = new HashMap<>();

    @BeforeEach
    void addAnAccount() {
        accounts.add(EMAIL, Optional.of(PASSWORD));
    }

    @AfterEach
    void close() {
        audit.close();
        databases.close();
        store.close();
    }

    @Test
    void aUserSignsInAndOut() {
        Page.Answer form = get("/_ah/login", "continue", "/there");
        assertThat(form.status()).isEqualTo(200);
        assertThat(form.headers())
                .containsEntry("x-frame-options", "DENY")
                .hasEntrySatisfying(
                        "content-security-policy", policy -> assertThat(policy).contains("'none'"));
        Page.Answer answer = submit(form, EMAIL, PASSWORD);
        assertThat(answer.status()).isEqualTo(302);
        assertThat(answer.headers()).containsEntry("location", "/there");
        assertThat(answer.headers().get("set-cookie"))
                .contains("; HttpOnly", "; SameSite=Lax", "; Secure", "; Max-Age=86400");
        String session = jar.getOrDefault(Cookies.SESSION, "");
        assertThat(pages.user(session).orElseThrow().email()).isEqualTo(EMAIL);

        Page.Answer out = get("/_ah/logout", "continue", "http://x.apps.example/bye");
        assertThat(out.headers()).containsEntry("location", "http://x.apps.example/bye");
        assertThat(jar.get(Cookies.SESSION)).isEmpty();
        assertThat(pages.user(session)).as("a copy of the cookie").isEmpty();
    }

    @Test
    void aWrongPasswordShowsTheFormAgain() {
        Page.Answer answer = submit(get("/_ah/login", "continue", "/"), EMAIL, "wrong \"<b>");
        assertThat(answer.status()).isEqualTo(401);
        assertThat(text(answer))
                .contains("role=\"alert\"", "value=\"" + EMAIL + "\"")
                .doesNotContain("wrong &quot;");
        assertThat(jar).doesNotContainKey(Cookies.SESSION);
        Page.Answer unknown = submit(answer, "bob@example.com", PASSWORD);
        assertThat(unknown.status()).isEqualTo(401);
        assertThat(
                        text(unknown)
                                .replace("bob@example.com", EMAIL)
                                .replaceAll("value=\"[^\"]*\"", ""))
                .as("whether an account exists does not show")
                .isEqualTo(text(answer).replaceAll("value=\"[^\"]*\"", ""));
    }

    @Test
    void aFormOfAnotherSiteDoesNotSignIn() {
        Page.Answer form = get("/_ah/login", "continue", "/");
        jar.clear();
        assertThat(submit(form, EMAIL, PASSWORD).status()).as("without the cookie").isEqualTo(403);
        Page.Answer own = get("/_ah/login", "continue", "/");
        assertThat(own.status()).isEqualTo(200);
        assertThat(submit(form, EMAIL, PASSWORD).status()).as("with another cookie").isEqualTo(403);
        assertThat(jar).doesNotContainKey(Cookies.SESSION);
        assertThat(post("/_ah/login", "email=" + EMAIL + "&password=" + PASSWORD).status())
                .isEqualTo(403);
    }

    @Test
    void aProxyLearnsTheUserOfACookie() {
        assertThat(get("/_ah/login/user", "app", "demo").headers())
                .containsEntry("x-appengine-auth-domain", "gmail.com")
                .doesNotContainKey("x-appengine-user-email");
        submit(get("/_ah/login", "continue", "/"), EMAIL, PASSWORD);
        accounts.changeRoles(EMAIL, roles -> new Account.Roles(roles.cloudAdmin(), Set.of("demo")));
        assertThat(get("/_ah/login/user", "app", "demo").headers())
                .containsEntry("x-appengine-user-email", EMAIL)
                .containsEntry("x-appengine-user-is-admin", "1")
                .containsEntry("cache-control", "no-store");
        assertThat(get("/_ah/login/user", "app", "other").headers())
                .containsEntry("x-appengine-user-is-admin", "0");
        accounts.endSessions(EMAIL);
        assertThat(get("/_ah/login/user", "app", "demo").headers())
                .doesNotContainKey("x-appengine-user-email");
    }

    @Test
    void noLinkLeadsToAnotherSite() {
        Page.Answer form = get("/_ah/login", "continue", "http://evil.example/");
        assertThat(text(form)).doesNotContain("evil");
        String body = body(form, EMAIL, PASSWORD);
        Page.Answer answer =
                post("/_ah/login", "continue=" + encoded("http://evil.example/") + "&" + body);
        assertThat(answer.headers()).containsEntry("location", "/");
        assertThat(get("/_ah/logout", "continue", "//evil.example/").headers())
                .containsEntry("location", "/");
    }

    @Test
    void whatAUserTypesIsEscaped() {
        Page.Answer form = get("/_ah/login", "continue", "/?a='\"><script>{token}");
        assertThat(text(form)).doesNotContain("<script>");
        Page.Answer again = submit(form, "\"><script>alert(1)</script>{token}", PASSWORD);
        assertThat(text(again)).doesNotContain("<script>").contains("&quot;&gt;&lt;script&gt;");
    }

    @Test
    void tooManyAttemptsAreRefused() {
        Page.Answer form = get("/_ah/login", "continue", "/");
        int status = 0;
        for (int i = 0; i < 11; i++) {
            form = submit(form, EMAIL, "wrong password");
            status = form.status();
        }
        assertThat(status).isEqualTo(429);
    }

    private Page.Answer submit(Page.Answer form, String email, String password) {
        return post("/_ah/login", body(form, email, password));
    }

    private static String body(Page.Answer form, String email, String password) {
        Matcher token = TOKEN.matcher(text(form));
        Matcher there = Pattern.compile("name=\"continue\" value=\"([^\"]*)\"").matcher(text(form));
        assertThat(token.find() && there.find()).isTrue();
        return "token="
                + encoded(token.group(1))
                + "&continue="
                + encoded(there.group(1))
                + "&email="
                + encoded(email)
                + "&password="
                + encoded(password);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String text(Page.Answer answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private Page.Answer get(String path, String name, String value) {
        return ask("GET", path, Map.of(name, value), "");
    }

    private Page.Answer post(String path, String body) {
        return ask("POST", path, Map.of(), body);
    }

    private Page.Answer ask(
            String method, String path, Map<String, String> parameters, String body) {
        StringBuilder cookies = new StringBuilder();
        jar.forEach((name, value) -> cookies.append(name).append('=').append(value).append("; "));
        Page page =
                pages.pages().stream()
                        .filter(one -> one.method().equals(method) && one.isAt(path))
                        .findFirst()
                        .orElseThrow();
        Page.Answer answer =
                page.answer()
                        .apply(
                                new Page.Request(
                                        path,
                                        Map.of(),
                                        parameters,
                                        body.getBytes(StandardCharsets.UTF_8),
                                        "application/x-www-form-urlencoded",
                                        "",
                                        null,
                                        Map.of("cookie", cookies.toString(), "host", "app.example"),
                                        new AccessAttempt(
                                                audit,
                                                "http",
                                                path,
                                                new InetSocketAddress("192.0.2.1", 1)),
                                        Cancellation.never(),
                                        new Page.Raw(method, path, RequestBody.EMPTY)));
        String set = answer.headers().get("set-cookie");
        if (set != null) {
            String pair = set.substring(0, set.indexOf(';'));
            int equals = pair.indexOf('=');
            jar.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return answer;
    }
}
