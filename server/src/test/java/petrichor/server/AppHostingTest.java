package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.instances.Isolation;
import petrichor.apps.instances.IsolationFeature;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** Deploys apps to a server over HTTP, and sends requests through its router. */
class AppHostingTest {
    private static final String TOKEN = "t0ken";

    /** Answers with the header fields that it gets. */
    private static final String MAIN =
            """
            import http.server, json, os

            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                    print("task", self.path, body, self.headers["X-AppEngine-QueueName"], flush=True)
                    self.send_response(200)
                    self.send_header("Content-Length", "0")
                    self.end_headers()

                def do_GET(self):
                    text = json.dumps({name.lower(): value for name, value in self.headers.items()}).encode()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)

            print("the api is at", os.environ["API_PORT"], flush=True)
            http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
            """;

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir private Path folder;
    private TestServer server;

    /** An app may connect to it. */
    private ServerSocket database;

    @BeforeEach
    void start() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        database = new ServerSocket(0, 0, InetAddress.ofLiteral("127.0.0.1"));
        server = open();
    }

    private TestServer open() {
        Map<String, String> settings =
                Map.of(
                        "PETRICHOR_STORE__DATA",
                        folder.resolve("data").toString(),
                        "PETRICHOR_SERVER__PORT",
                        "0",
                        "PETRICHOR_APPS__PORT",
                        "0",
                        "PETRICHOR_AUTH__TOKEN",
                        TOKEN,
                        "PETRICHOR_APPS__REACHABLE",
                        "127.0.0.1:" + database.getLocalPort());
        return TestServer.of(
                Server.start(ServerConfig.of(Settings.read(Optional.empty(), settings, Map.of()))));
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        database.close();
    }

    private HttpResponse<String> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return HTTP.send(
                request.header("Authorization", "Bearer " + TOKEN).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private static byte[] zip(Map<String, String> files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
        return bytes.toByteArray();
    }

    /** The last line of the answer. */
    private JsonObject deploy(String query, Map<String, String> files)
            throws IOException, InterruptedException {
        HttpResponse<String> answer =
                send(
                        request("/petrichor/v1/deployments?" + query)
                                .header("Content-Type", "application/zip")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(zip(files))));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body().lines().reduce((_, last) -> last).orElse("{}"))
                .getAsJsonObject();
    }

    private static Map<String, String> app() {
        return Map.of(
                "app.yaml",
                """
                runtime: python
                app_engine_apis: true
                entrypoint: python main.py
                handlers:
                - url: /admin
                  script: auto
                  login: admin
                - url: /.*
                  script: auto
                """,
                "main.py",
                MAIN);
    }

    /** The only app answers at every host. */
    private static HttpResponse<String> get(String url, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + URI.create(url).getPort() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aDeployedAppGetsTheFieldsOfThePlatform() throws Exception {
        JsonObject deployed = deploy("project=demo&version=v1", app()).getAsJsonObject("deployed");
        String url = deployed.get("url").getAsString();
        HttpResponse<String> answer =
                get(
                        url,
                        "/",
                        "X-Appengine-User-Email",
                        "forged@example.com",
                        "X-Appengine-Api-Ticket",
                        "forged",
                        "X-Appengine-Cron",
                        "true");
        JsonObject fields = JsonParser.parseString(answer.body()).getAsJsonObject();
        assertThat(fields.get("x-appengine-api-ticket").getAsString()).isNotEqualTo("forged");
        assertThat(fields.get("x-appengine-user-ip").getAsString()).isEqualTo("127.0.0.1");
        assertThat(fields.get("x-appengine-default-version-hostname").getAsString())
                .isEqualTo("demo.localhost");
        assertThat(fields.has("x-appengine-user-email")).isFalse();
        assertThat(fields.has("x-appengine-cron")).isFalse();
        assertThat(get(url, "/_ah/start").statusCode()).isEqualTo(404);
        HttpResponse<String> admin = get(url, "/admin");
        assertThat(admin.statusCode()).isEqualTo(302);
        assertThat(admin.headers().firstValue("location").orElse("")).startsWith("/_ah/login");
        assertThat(get(url, "/_ah/login").body()).contains("<form");
    }

    @Test
    void anAppReachesOnlyThePlatformAndNamedServersOfTheMachine() throws Exception {
        boolean isolated =
                Isolation.probe(folder.resolve("trial"), 0x7000_0000).has(IsolationFeature.NETWORK);
        Assumptions.assumeTrue(isolated, "this machine does not isolate the network of instances");
        String main =
                MAIN.replace("import http", "import socket, http")
                        .replace(
                                "text = json",
                                """
                                try:
                                            client = socket.create_connection(("127.0.0.1", int(self.path[1:])), 20)
                                            self.headers["Reached"] = "yes"
                                        except (OSError, ValueError) as e:
                                            self.headers["Reached"] = type(e).__name__
                                        text = json\
                                """);
        Map<String, String> files = new HashMap<>(app());
        files.put("main.py", main);
        String url =
                deploy("project=demo&version=v1", files)
                        .getAsJsonObject("deployed")
                        .get("url")
                        .getAsString();
        try (ServerSocket other = new ServerSocket(0)) {
            Map<Integer, String> expected =
                    Map.of(
                            server.port(), "PermissionError",
                            URI.create(url).getPort(), "yes",
                            database.getLocalPort(), "yes",
                            other.getLocalPort(), "PermissionError");
            for (Map.Entry<Integer, String> each : expected.entrySet()) {
                assertThat(get(url, "/" + each.getKey()).body())
                        .contains("\"reached\": \"" + each.getValue() + "\"");
            }
        }
    }

    /** The script stands in for Maven's wrapper; its output is part of the app. */
    @Test
    void aBuildSeesNeitherTheEnvironmentNorTheFilesOfTheServer() throws Exception {
        Assumptions.assumeTrue(System.getProperty("user.name").equals("root"), "needs root");
        Path data = folder.resolve("data");
        assertThat(data).isNotEmptyDirectory();
        long pid = ProcessHandle.current().pid();
        String build =
                """
                env >env.txt
                { ls DATA; cat DATA/*; find / -xdev -name FORMAT -path '*DATA*' 2>/dev/null; } >files.txt 2>errors.txt
                cat /proc/PID/environ /proc/PID/cmdline /proc/1/environ >processes.txt 2>>errors.txt
                ls -l /proc/$$/fd >open.txt
                true
                """;
        String main =
                """
                import http.server, os
                os.chdir(os.path.dirname(os.path.abspath(__file__)))
                class Handler(http.server.SimpleHTTPRequestHandler):
                    pass
                http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
                """;
        Map<String, String> files =
                Map.of(
                        "app.yaml",
                        "runtime: java25\nentrypoint: /usr/bin/python3 main.py\n",
                        "pom.xml",
                        "",
                        "mvnw",
                        build.replace("DATA", data.toString()).replace("PID", Long.toString(pid)),
                        "main.py",
                        main);
        JsonObject answer = deploy("project=demo&version=v1", files);
        assertThat(answer.has("deployed")).as(answer.toString()).isTrue();
        String url = answer.getAsJsonObject("deployed").get("url").getAsString();
        List<String> names =
                get(url, "/env.txt")
                        .body()
                        .lines()
                        .map(line -> line.replaceFirst("=.*", ""))
                        .toList();
        assertThat(names).contains("HOME", "JAVA_HOME").doesNotContain("CI", "USER", "LOGNAME");
        for (String each : List.of("/env.txt", "/files.txt", "/processes.txt", "/open.txt")) {
            assertThat(get(url, each).body()).as(each).doesNotContain(TOKEN, data + "/");
        }
        assertThat(get(url, "/files.txt").body()).isEmpty();
        assertThat(get(url, "/errors.txt").body()).contains(data + "'", "Permission denied");
    }

    @Test
    void versionsAreManagedOverHttp() throws Exception {
        assertThat(deploy("project=demo&version=v1", app()).has("deployed")).isTrue();
        deploy("project=demo&version=v2&promote=false", app());
        JsonObject promoted = change("{\"action\": \"promote\", \"version\": \"v2\"}", 200);
        assertThat(promoted.toString()).contains("\"version\":\"v2\"");
        change("{\"action\": \"rollback\"}", 200);
        assertThat(send(request("/petrichor/v1/apps")).body())
                .contains("\"share\":1.0")
                .contains("\"version\":\"v1\"");
        assertThat(send(request("/petrichor/v1/apps/demo")).body()).contains("\"instances\"");
        assertThat(send(request("/petrichor/v1/apps/demo/log")).body())
                .containsPattern("the api is at \\d+")
                .doesNotContain("the api is at " + server.port());
        change("{\"action\": \"promote\", \"version\": \"missing\"}", 404);
        change("{\"action\": \"explode\"}", 400);
        change("nonsense", 400);
        change("{\"action\": \"delete\"}", 200);
        assertThat(send(request("/petrichor/v1/apps")).body()).contains("\"apps\":[]");
    }

    private JsonObject change(String body, int status) throws Exception {
        HttpResponse<String> answer =
                send(
                        request("/petrichor/v1/apps/demo")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body)));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return status == 200
                ? JsonParser.parseString(answer.body()).getAsJsonObject()
                : new JsonObject();
    }

    @Test
    void deployedAppsGetTasks() throws Exception {
        assertThat(deploy("project=demo&version=v1", app()).has("deployed")).isTrue();
        String task =
                "{\"task\": {\"appEngineHttpRequest\": {\"relativeUri\": \"/job\", \"body\":"
                        + " \"Ym9keQ==\"}}}";
        assertThat(
                        send(request("/v2/projects/demo/locations/here/queues/default/tasks")
                                        .header("Content-Type", "application/json")
                                        .POST(HttpRequest.BodyPublishers.ofString(task)))
                                .statusCode())
                .isEqualTo(200);
        String log = "";
        Instant end = Instant.now().plus(Duration.ofMinutes(2));
        while (!log.contains("task /job body default")) {
            assertThat(Instant.now()).isBefore(end);
            log = send(request("/petrichor/v1/apps/demo/log")).body();
        }
    }

    @Test
    void tasksThatWaitStartInstances() throws Exception {
        assertThat(deploy("project=demo&version=v1", app()).has("deployed")).isTrue();
        String task = "{\"task\": {\"appEngineHttpRequest\": {\"relativeUri\": \"/job\"}}}";
        // The queue delivers five in a second.
        for (int i = 0; i < 150; i++) {
            assertThat(
                            send(request("/v2/projects/demo/locations/here/queues/default/tasks")
                                            .header("Content-Type", "application/json")
                                            .POST(HttpRequest.BodyPublishers.ofString(task)))
                                    .statusCode())
                    .isEqualTo(200);
        }
        String shown = "";
        Instant end = Instant.now().plus(Duration.ofMinutes(2));
        while (!shown.contains("\"reason\":\"tasks of queues wait\"")) {
            assertThat(Instant.now()).isBefore(end);
            shown = send(request("/petrichor/v1/apps/demo")).body();
        }
    }

    @Test
    void aFailureNamesTheStepAndTheReason() throws Exception {
        JsonObject failed =
                deploy("project=demo", Map.of("app.yaml", "runtime: cobol\n"))
                        .getAsJsonObject("failed");
        assertThat(failed.get("step").getAsString()).isEqualTo("app.yaml");
        assertThat(failed.get("reason").getAsString()).contains("cobol");
        assertThat(
                        deploy("project=demo", Map.of("../evil.py", "x"))
                                .getAsJsonObject("failed")
                                .get("step")
                                .getAsString())
                .isEqualTo("sources");
    }

    @Test
    void deploymentsNeedAToken() throws Exception {
        for (String token : new String[] {"", "wrong"}) {
            HttpRequest.Builder request =
                    request("/petrichor/v1/deployments?project=demo")
                            .header("Content-Type", "application/zip")
                            .POST(HttpRequest.BodyPublishers.ofByteArray(zip(app())));
            if (!token.isEmpty()) {
                request.header("Authorization", "Bearer " + token);
            }
            assertThat(
                            HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString())
                                    .statusCode())
                    .isEqualTo(401);
        }
    }

    @Test
    void appsReturnWithTheServer() throws Exception {
        assertThat(deploy("project=demo&version=v1", app()).has("deployed")).isTrue();
        server.close();
        server = open();
        String shown = "";
        Instant end = Instant.now().plus(Duration.ofMinutes(2));
        while (!shown.contains("\"fleets\":[{")) {
            assertThat(Instant.now()).isBefore(end);
            shown = send(request("/petrichor/v1/apps/demo")).body();
        }
        JsonObject again = deploy("project=demo&version=v2", app()).getAsJsonObject("deployed");
        assertThat(again.get("cached").getAsBoolean()).isTrue();
        assertThat(get(again.get("url").getAsString(), "/").statusCode()).isEqualTo(200);
    }
}
