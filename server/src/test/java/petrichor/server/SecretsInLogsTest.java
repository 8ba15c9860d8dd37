package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.appidentity.AppIdentityServicePb.GetAccessTokenRequest;
import com.google.appengine.api.appidentity.AppIdentityServicePb.GetAccessTokenResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheStatsRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheStatsResponse;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Passwords, tokens, tickets, cookies and keys are neither in the log nor in the audit log. */
class SecretsInLogsTest {
    private static final String EMAIL = "ann@example.com";
    private static final Pattern FORM_TOKEN = Pattern.compile("name=\"token\" value=\"([^\"]+)\"");

    @TempDir private Path folder;
    private final HttpClient http = HttpClient.newHttpClient();
    private final TestApp app = new TestApp();

    /** By what they are. */
    private final Map<String, String> secrets = new HashMap<>();

    @AfterEach
    void close() {
        http.close();
        app.close();
    }

    @Test
    void noSecretIsLogged() throws Exception {
        Path log = folder.resolve("log");
        Path audit = folder.resolve("audit");
        secrets.put("token", "token-4711");
        secrets.put("password of mails", "mail-4711");
        secrets.put("secret at the OpenID provider", "openid-4711");
        secrets.put("password of the directory", "ldap-4711");
        Map<String, String> settings =
                Map.ofEntries(
                        Map.entry("PETRICHOR_STORE__MEMORY", "true"),
                        Map.entry("PETRICHOR_AUTH__TOKEN", secret("token")),
                        Map.entry("PETRICHOR_AUDIT__EVENTS", "all"),
                        Map.entry("PETRICHOR_AUDIT__FILE", audit.toString()),
                        Map.entry("PETRICHOR_APPS__TARGETS", "demo=" + app.url()),
                        Map.entry("PETRICHOR_MAIL__URL", "smtp+plain://bot@127.0.0.1:9"),
                        Map.entry("PETRICHOR_MAIL__PASSWORD", secret("password of mails")),
                        Map.entry("PETRICHOR_USERS__OPENID", "http://127.0.0.1:9/issuer"),
                        Map.entry("PETRICHOR_USERS__OPENID_CLIENT", "petrichor"),
                        Map.entry(
                                "PETRICHOR_USERS__OPENID_SECRET",
                                secret("secret at the OpenID provider")),
                        Map.entry("PETRICHOR_USERS__LDAP", "ldap://127.0.0.1:9/dc=example?mail"),
                        Map.entry("PETRICHOR_USERS__LDAP_USER", "cn=searcher"),
                        Map.entry(
                                "PETRICHOR_USERS__LDAP_PASSWORD",
                                secret("password of the directory")));
        try (ServerProcess server =
                ServerProcess.start(ProcessBuilder.Redirect.to(log.toFile()), settings)) {
            String base = "http://127.0.0.1:" + server.port();
            callWithWrongTokens(base);
            callWithTicket(base, server.port());
            signIn(base);
            signUrl(base);
        }
        String logged = Files.readString(log);
        assertThat(logged)
                .as("what was done is logged")
                .contains("memcache.Stats", "sign-in of " + EMAIL, "mail ");
        assertThat(Files.readString(audit)).contains("demo");
        secrets.forEach(
                (what, secret) -> {
                    assertThat(logged).as(what).doesNotContain(secret);
                    assertThat(read(audit)).as(what).doesNotContain(secret);
                });
    }

    private String secret(String name) {
        return secrets.getOrDefault(name, "");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private HttpRequest.Builder request(String url) {
        return HttpRequest.newBuilder(URI.create(url)).version(HttpClient.Version.HTTP_1_1);
    }

    private HttpRequest.Builder withToken(String url) {
        return request(url).header("Authorization", "Bearer " + secret("token"));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest.BodyPublisher text(String text) {
        return HttpRequest.BodyPublishers.ofString(text);
    }

    private void callWithWrongTokens(String base) throws Exception {
        secrets.put("wrong token", "wrong-4711");
        for (String path : new String[] {"/v1/projects/demo:lookup", "/rpc_http", "/metrics"}) {
            send(
                    request(base + path)
                            .header("Authorization", "Bearer wrong-4711")
                            .POST(text("{}")));
        }
        secrets.put("wrong ticket", "ticket.deadbeef4711");
    }

    /** As an app that handles a task does. */
    private void callWithTicket(String base, int port) throws Exception {
        app.handle(
                arrival -> {
                    String ticket = arrival.header("x-appengine-api-ticket");
                    secrets.put("ticket", ticket);
                    try {
                        calls(new BundledCalls(port, ticket));
                        var _ =
                                new BundledCalls(port, secret("wrong ticket"))
                                        .response(
                                                "memcache",
                                                "Stats",
                                                MemcacheStatsRequest.getDefaultInstance());
                        return 500;
                    } catch (Exception failed) {
                        throw new AssertionError(failed);
                    }
                });
        String task = "{\"task\": {\"appEngineHttpRequest\": {\"relativeUri\": \"/job\"}}}";
        send(
                withToken(base + "/v2/projects/demo/locations/here/queues/default/tasks")
                        .POST(text(task)));
        var _ = app.next(500);
    }

    private void calls(BundledCalls app) throws Exception {
        var _ =
                app.call(
                        "memcache",
                        "Stats",
                        MemcacheStatsRequest.getDefaultInstance(),
                        MemcacheStatsResponse.parser());
        secrets.put(
                "access token of the app",
                app.call(
                                "app_identity_service",
                                "GetAccessToken",
                                GetAccessTokenRequest.newBuilder().addScope("x").build(),
                                GetAccessTokenResponse.parser())
                        .getAccessToken());
        app.call(
                "mail",
                "Send",
                AppMessages.parse(
                        "MailServicePb.MailMessage",
                        "Sender: \"bot@demo.appspotmail.com\" To: \"you@example.com\" Subject:"
                                + " \"s\" TextBody: \"b\""),
                com.google.apphosting.base.protos.api.ApiBasePb.VoidProto.parser());
    }

    private void signIn(String base) throws Exception {
        secrets.put("password", "correct horse 4711");
        secrets.put("wrong password", "wrong horse 4711");
        String account =
                "{\"action\": \"add\", \"email\": \"%s\", \"password\": \"%s\"}"
                        .formatted(EMAIL, secret("password"));
        assertThat(send(withToken(base + "/petrichor/v1/users").POST(text(account))).statusCode())
                .isEqualTo(200);
        submit(base, EMAIL, secret("wrong password"));
        submit(base, "of.the.directory@example.com", secret("wrong password"));
        HttpResponse<String> signedIn = submit(base, EMAIL, secret("password"));
        assertThat(signedIn.statusCode()).isEqualTo(302);
        String cookie = cookie(signedIn);
        secrets.put("session", cookie.substring(cookie.indexOf('=') + 1));
        send(request(base + "/_ah/login/user?app=demo").header("Cookie", cookie));
        send(request(base + "/_ah/login/openid?continue=/"));
        send(request(base + "/_ah/login/callback?state=s&code=code-4711"));
        secrets.put("code of the OpenID provider", "code-4711");
        send(request(base + "/_ah/logout?continue=/").header("Cookie", cookie));
    }

    private HttpResponse<String> submit(String base, String email, String password)
            throws Exception {
        HttpResponse<String> form = send(request(base + "/_ah/login?continue=/"));
        Matcher token = FORM_TOKEN.matcher(form.body());
        assertThat(token.find()).isTrue();
        String fields =
                "email=%s&password=%s&token=%s"
                        .formatted(encoded(email), encoded(password), encoded(token.group(1)));
        return send(
                request(base + "/_ah/login")
                        .header("Cookie", cookie(form))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(text(fields)));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String cookie(HttpResponse<?> response) {
        return response.headers().firstValue("set-cookie").orElseThrow().split(";", 2)[0];
    }

    /** The key is shown once, and URLs with a signature are as good as a token. */
    private void signUrl(String base) throws Exception {
        String key =
                send(withToken(base + "/petrichor/v1/projects/demo/storage-keys")
                                .POST(text("{\"name\": \"signer\"}")))
                        .body();
        String pem = JsonParser.parseString(key).getAsJsonObject().get("private_key").getAsString();
        secrets.put("private key", pem.lines().skip(1).findFirst().orElseThrow());
        secrets.put("signature", "abcdef4711");
        send(
                request(
                        base
                                + "/demo-bucket/a?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature="
                                + secret("signature")));
    }
}
