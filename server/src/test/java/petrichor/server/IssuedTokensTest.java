package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.memory.MemoryOptions;

/** Tokens that a running server issues, and what their roles permit for apps. */
class IssuedTokensTest {
    private static final String TOKENS = "/petrichor/v1/tokens";
    private static final String DEMO = "/petrichor/v1/apps/demo";
    private static final String ROLLBACK = "{\"action\": \"rollback\"}";
    private static final Duration EVERYWHERE_WITHIN = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static final Map<String, String> APP =
            Map.of(
                    "app.yaml",
                    "runtime: python\nentrypoint: python main.py\n",
                    "main.py",
                    """
                    import http.server, os

                    class Handler(http.server.BaseHTTPRequestHandler):
                        def do_GET(self):
                            self.send_response(204)
                            self.end_headers()

                    http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
                    """);

    @TempDir private Path folder;

    private static HttpRequest.Builder at(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request, String token)
            throws Exception {
        return HTTP.send(
                request.header("Authorization", "Bearer " + token).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static int get(int port, String path, String token) throws Exception {
        return send(at(port, path), token).statusCode();
    }

    private static HttpResponse<String> post(int port, String path, String token, String body)
            throws Exception {
        return send(
                at(port, path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)),
                token);
    }

    private static HttpResponse<String> create(
            int port, String by, String name, String role, String more) throws Exception {
        String body =
                "{\"action\": \"create\", \"name\": \"%s\", \"role\": \"%s\"%s}"
                        .formatted(name, role, more);
        return post(port, TOKENS, by, body);
    }

    private static String created(int port, String by, String name, String role, String more)
            throws Exception {
        HttpResponse<String> answer = create(port, by, name, role, more);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return json(answer).get("token").getAsString();
    }

    private static JsonObject json(HttpResponse<String> answer) {
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private static String in(String... projects) {
        return ", \"projects\": [\"" + String.join("\", \"", projects) + "\"]";
    }

    private static int remote(int port, String project, String token) throws Exception {
        String password = "any:" + token;
        HttpRequest request =
                at(port, "/git/" + project + "/info/refs?service=git-receive-pack")
                        .header(
                                "Authorization",
                                "Basic "
                                        + Base64.getEncoder()
                                                .encodeToString(
                                                        password.getBytes(StandardCharsets.UTF_8)))
                        .build();
        return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    private static int query(int port, String project, String token) throws Exception {
        String body = "{\"query\": {\"kind\": [{\"name\": \"City\"}]}}";
        return post(port, "/v1/projects/" + project + ":runQuery", token, body).statusCode();
    }

    @Test
    void aDeployTokenManagesTheAppsOfItsProjectOnly() throws Exception {
        try (HostingServer server = new HostingServer(folder)) {
            int port = server.port();
            String deploy = created(port, HostingServer.TOKEN, "ci", "deploy", in("demo"));
            String view = created(port, HostingServer.TOKEN, "eye", "view", in("demo"));
            HttpResponse<String> other = send(server.deployment("project=other", APP), deploy);
            assertThat(other.statusCode()).isEqualTo(403);
            assertThat(other.body()).contains("\\\"ci\\\" has no access to other");
            assertThat(send(server.deployment("project=demo", APP), view).statusCode())
                    .isEqualTo(403);
            // Its only project is the default.
            HttpResponse<String> deployed = send(server.deployment("version=v1", APP), deploy);
            assertThat(deployed.body()).contains("\"deployed\"").contains("demo");
            server.deploy("project=other&version=v1", APP);

            for (String token : new String[] {deploy, view}) {
                assertThat(get(port, DEMO, token)).isEqualTo(200);
                assertThat(get(port, DEMO + "/log", token)).isEqualTo(200);
                assertThat(send(at(port, "/petrichor/v1/apps"), token).body())
                        .contains("\"demo\"")
                        .doesNotContain("\"other\"");
                for (String path :
                        new String[] {
                            "/petrichor/v1/apps/other",
                            "/petrichor/v1/apps/other/log",
                            "/petrichor/v1/apps/other/variables",
                            "/petrichor/v1/jobs",
                            "/petrichor/v1/support/log",
                            "/petrichor/v1/users",
                            TOKENS,
                            "/petrichor/v1/indexes?project=demo"
                        }) {
                    assertThat(get(port, path, token)).as(path).isEqualTo(403);
                }
                assertThat(query(port, "demo", token)).isEqualTo(403);
                assertThat(post(port, DEMO, token, "{\"action\": \"delete\"}").statusCode())
                        .isEqualTo(403);
                assertThat(remote(port, "other", token)).isEqualTo(403);
                assertThat(remote(port, "other.git", token)).isEqualTo(403);
            }
            assertThat(get(port, DEMO + "/variables", deploy)).isEqualTo(200);
            assertThat(get(port, DEMO + "/variables", view)).isEqualTo(403);
            // There is no former version, which is not a matter of permission.
            assertThat(post(port, DEMO, deploy, ROLLBACK).body()).contains("FAILED_PRECONDITION");
            assertThat(post(port, DEMO, view, ROLLBACK).statusCode()).isEqualTo(403);
            assertThat(remote(port, "demo", deploy)).isEqualTo(200);
            assertThat(remote(port, "demo.git", deploy)).isEqualTo(200);
            assertThat(remote(port, "demo", view)).isEqualTo(403);

            server.restart();
            assertThat(get(server.port(), DEMO, deploy)).isEqualTo(200);
        }
    }

    @Test
    void tokensOfAnAdministratorOfAProjectAreForThatProject() throws Exception {
        Path audit = folder.resolve("audit.jsonl");
        try (HostingServer server =
                HostingServer.in(
                        folder,
                        Map.of(
                                "PETRICHOR_AUDIT__EVENTS",
                                "all",
                                "PETRICHOR_AUDIT__FILE",
                                audit.toString()))) {
            int port = server.port();
            String owner = created(port, HostingServer.TOKEN, "owner", "admin", in("demo"));
            created(port, HostingServer.TOKEN, "everything", "read", "");
            String reader = created(port, owner, "reader", "read", in("demo"));
            assertThat(query(port, "demo", reader)).isEqualTo(200);
            assertThat(query(port, "other", reader)).isEqualTo(403);
            assertThat(create(port, owner, "x", "read", in("demo", "other")).statusCode())
                    .isEqualTo(403);
            assertThat(create(port, owner, "x", "read", "").statusCode()).isEqualTo(403);
            assertThat(create(port, reader, "x", "read", in("demo")).statusCode()).isEqualTo(403);
            assertThat(create(port, owner, "reader", "read", in("demo")).body())
                    .contains("ALREADY_EXISTS");
            assertThat(create(port, owner, "a b", "read", in("demo")).statusCode()).isEqualTo(400);
            String shown = send(at(port, TOKENS), owner).body();
            assertThat(shown)
                    .contains("\"reader\"", "\"created\"")
                    .doesNotContain("everything", "sha256", reader);

            String revoke = "{\"action\": \"revoke\", \"name\": \"%s\"}";
            assertThat(post(port, TOKENS, owner, revoke.formatted("everything")).statusCode())
                    .isEqualTo(403);
            assertThat(post(port, TOKENS, owner, revoke.formatted("reader")).statusCode())
                    .isEqualTo(200);
            assertThat(query(port, "demo", reader)).isEqualTo(401);

            String brief =
                    created(port, owner, "brief", "read", in("demo") + ", \"expiresSeconds\": 1");
            Wait.until(
                    "the token expires",
                    EVERYWHERE_WITHIN,
                    () -> {
                        try {
                            return query(port, "demo", brief) == 401;
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    });
            Wait.until(
                    "the time of last use is recorded",
                    EVERYWHERE_WITHIN,
                    () -> {
                        try {
                            return send(at(port, TOKENS), owner).body().contains("\"lastUsed\"");
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    });
        }
        assertThat(Files.readString(audit)).contains("\"token\":\"reader\"");
    }

    @Test
    void everyServerAcceptsATokenWithinSeconds() throws Exception {
        try (TestCluster cluster =
                TestCluster.start(
                        2,
                        MemoryOptions.DEFAULT,
                        config -> config.withToken(HostingServer.TOKEN))) {
            int first = cluster.node(0).server().port();
            int second = cluster.node(1).server().port();
            String token = createdWhenOwned(first);
            assertThat(query(first, "p", token)).isEqualTo(200);
            awaitStatus(second, token, 200);
            assertThat(
                            post(
                                            second,
                                            TOKENS,
                                            HostingServer.TOKEN,
                                            "{\"action\": \"revoke\", \"name\": \"reader\"}")
                                    .statusCode())
                    .isEqualTo(200);
            assertThat(query(second, "p", token)).isEqualTo(401);
            awaitStatus(first, token, 401);
        }
    }

    /** The first use of the system database decides who owns it. */
    private static String createdWhenOwned(int port) throws Exception {
        HttpResponse<String> answer;
        Instant end = Instant.now().plus(EVERYWHERE_WITHIN);
        do {
            answer = create(port, HostingServer.TOKEN, "reader", "read", in("p"));
        } while (answer.statusCode() == 503 && Instant.now().isBefore(end));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return json(answer).get("token").getAsString();
    }

    private static void awaitStatus(int port, String token, int status) {
        Wait.until(
                "the answer is " + status,
                EVERYWHERE_WITHIN,
                () -> {
                    try {
                        return query(port, "p", token) == status;
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
    }

    @Test
    void resetDeletesDataButNoToken() throws Exception {
        try (TestServer server =
                TestServer.start(config -> config.withToken(HostingServer.TOKEN))) {
            int port = server.port();
            String reader = created(port, HostingServer.TOKEN, "reader", "read", in("p"));
            String admin = created(port, HostingServer.TOKEN, "root", "admin", "");
            assertThat(post(port, "/reset", admin, "").statusCode()).isEqualTo(200);
            assertThat(query(port, "p", reader)).isEqualTo(200);
            assertThat(query(port, "other", reader)).isEqualTo(403);
            assertThat(send(at(port, TOKENS), admin).body())
                    .contains("\"reader\"")
                    .contains("\"root\"");
        }
    }

    @Test
    void aServerWithoutAuthenticationIssuesNone() throws Exception {
        try (TestServer server = TestServer.start()) {
            HttpResponse<String> refused = create(server.port(), "any", "x", "read", "");
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body()).contains("set auth.token first");
        }
    }
}
