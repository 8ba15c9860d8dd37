package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.catalog.AppQuotas;
import petrichor.apps.router.http.TrustedProxies;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.memory.MemoryOptions;
import petrichor.server.config.AppSettings;
import petrichor.server.config.RouterOptions;

/** Apps on a cluster: what one server changes takes effect on all. */
@Tag("slow")
class AppsOfClusterTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int SERVERS = 3;

    private static final String APP =
            """
            import http.server, os

            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    text = " ".join(os.environ.get(one, "none") for one in ["GAE_VERSION", "WORD", "SECRET"])
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text.encode())

                def log_message(self, *_):
                    pass

            http.server.ThreadingHTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
            """;

    @TempDir private Path folder;
    private final List<String> routers = new ArrayList<>();
    private TestCluster cluster;

    @BeforeEach
    void start() throws IOException {
        // The users of builds and instances pass it.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        AtomicInteger started = new AtomicInteger();
        cluster =
                TestCluster.start(
                        SERVERS,
                        MemoryOptions.DEFAULT,
                        config ->
                                config.withApps(
                                        withHosting(
                                                config.apps(),
                                                folder.resolve("" + started.getAndIncrement()))));
    }

    private static AppSettings withHosting(AppSettings apps, Path folder) {
        return new AppSettings(
                apps.defaultProject(),
                apps.targets(),
                apps.cache(),
                apps.tasks(),
                apps.services(),
                new AppSettings.Hosting(
                        0,
                        0,
                        "localhost",
                        Optional.of(folder),
                        List.of(),
                        new RouterOptions(
                                Duration.ofSeconds(5), Optional.empty(), TrustedProxies.NONE),
                        AppQuotas.NONE));
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static Map<String, String> app(String comment) {
        Map<String, String> files = new HashMap<>();
        files.put("app.yaml", "runtime: python\nentrypoint: python main.py\n");
        files.put("main.py", APP + "# " + comment + "\n");
        return files;
    }

    private JsonObject deploy(int server, String version, String query) throws Exception {
        HttpResponse<String> answer =
                send(
                        request(
                                        server,
                                        "/petrichor/v1/deployments?project=demo&version="
                                                + version
                                                + query)
                                .header("Content-Type", "application/zip")
                                .POST(
                                        HttpRequest.BodyPublishers.ofByteArray(
                                                HostingServer.zip(app(version)))));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body().lines().toList().getLast()).getAsJsonObject();
    }

    private HttpRequest.Builder request(int server, String path) {
        return HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + cluster.node(server).server().port() + path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private void change(int server, String body) throws Exception {
        HttpResponse<String> answer =
                send(
                        request(server, "/petrichor/v1/apps/demo")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body)));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    /** Where a server's router listens; empty before it knows of an app. */
    private Optional<String> router(int server) throws Exception {
        JsonObject apps =
                JsonParser.parseString(send(request(server, "/petrichor/v1/apps/demo")).body())
                        .getAsJsonObject();
        URI url =
                URI.create(
                        apps.getAsJsonArray("services")
                                .get(0)
                                .getAsJsonObject()
                                .get("url")
                                .getAsString());
        return url.getPort() == 0
                ? Optional.empty()
                : Optional.of("http://127.0.0.1:" + url.getPort());
    }

    private String get(int server) {
        try {
            Optional<String> router = router(server);
            if (router.isEmpty()) {
                return "no router";
            }
            return answer(router.get());
        } catch (Exception failed) {
            return failed.toString();
        }
    }

    private static String answer(String router) {
        try {
            HttpResponse<String> answer = send(HttpRequest.newBuilder(URI.create(router + "/")));
            return answer.statusCode() == 200 ? answer.body() : "status " + answer.statusCode();
        } catch (Exception failed) {
            return failed.toString();
        }
    }

    private void awaitAll(String answer) throws Exception {
        routers.clear();
        for (int i = 0; i < SERVERS; i++) {
            int server = i;
            Wait.until(
                    "server " + server + " answers " + answer + ", not " + get(server),
                    LONG,
                    () -> get(server).equals(answer));
            routers.add(router(server).orElseThrow());
        }
    }

    private JsonObject set(int server, String kind, String name, String value) throws Exception {
        HttpResponse<String> answer =
                send(
                        request(server, "/petrichor/v1/apps/demo/variables")
                                .header("Content-Type", "application/json")
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"kind\": \"%s\", \"set\": {\"%s\": \"%s\"}}"
                                                        .formatted(kind, name, value))));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body().lines().toList().getLast()).getAsJsonObject();
    }

    @Test
    void whatOneServerChangesTakesEffectOnAll() throws Exception {
        assertThat(deploy(0, "v1", "").toString()).contains("deployed");
        awaitAll("v1 none none");
        deploy(1, "v2", "");
        awaitAll("v2 none none");
        change(2, "{\"action\": \"rollback\"}");
        awaitAll("v1 none none");
        change(0, "{\"action\": \"promote\", \"version\": \"v2\"}");
        awaitAll("v2 none none");
        assertThat(set(1, "plain", "WORD", "clear").toString()).contains("configured");
        awaitAll("v2 clear none");
        assertThat(set(2, "secret", "SECRET", "hidden").toString()).contains("configured");
        awaitAll("v2 clear hidden");
        change(1, "{\"action\": \"stop\", \"version\": \"v2\"}");
        awaitAll("status 503");
        change(0, "{\"action\": \"start\", \"version\": \"v2\"}");
        awaitAll("v2 clear hidden");
        change(2, "{\"action\": \"delete-version\", \"version\": \"v1\"}");
        change(2, "{\"action\": \"delete\"}");
        for (int i = 0; i < SERVERS; i++) {
            int server = i;
            String router = routers.get(i);
            Wait.until(
                    "server " + server + " has no app",
                    LONG,
                    () -> answer(router).equals("status 404"));
        }
    }

    private JsonObject quotas(int server, String change) throws Exception {
        HttpResponse<String> answer =
                send(
                        request(server, "/petrichor/v1/apps/demo/quotas")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(change)));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private void limitRequests(int server, int burst) throws Exception {
        quotas(
                server,
                "{\"set\": {\"requests\": \"%d/min\", \"request-burst\": \"%d\"}}"
                        .formatted(SERVERS, burst));
    }

    @Test
    @Tag("slow")
    void aQuotaOfRequestsIsSharedByTheServers() throws Exception {
        String ok = "v1 none none";
        int each = 10;
        deploy(0, "v1", "");
        awaitAll(ok);
        limitRequests(1, SERVERS);
        for (String router : routers) {
            Wait.until("the quota applies", LONG, () -> !answer(router).equals(ok));
        }
        limitRequests(2, SERVERS * (1 + each));
        int admitted = 0;
        for (String router : routers) {
            Wait.until("the change applies", LONG, () -> answer(router).equals(ok));
            admitted++;
            while (answer(router).equals(ok)) {
                admitted++;
            }
        }
        // Each server refills one request per minute.
        assertThat(admitted).isBetween(SERVERS * each, SERVERS * (each + 3));
        quotas(0, "{\"reset\": [\"requests\"]}");
        awaitAll(ok);
    }

    @Test
    void serversThatDeployAtTheSameTimeAgree() throws Exception {
        deploy(0, "v0", "");
        awaitAll("v0 none none");
        try (ExecutorService threads = Executors.newFixedThreadPool(SERVERS)) {
            List<Callable<JsonObject>> deployments = new ArrayList<>();
            for (int i = 0; i < SERVERS; i++) {
                int server = i;
                deployments.add(() -> deploy(server, "v" + (server + 1), ""));
            }
            for (Future<JsonObject> each : threads.invokeAll(deployments)) {
                assertThat(each.get().toString()).contains("deployed");
            }
        }
        JsonArray versions =
                JsonParser.parseString(send(request(0, "/petrichor/v1/apps/demo")).body())
                        .getAsJsonObject()
                        .getAsJsonArray("services")
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonArray("versions");
        assertThat(versions).as("no deployment is lost").hasSize(SERVERS + 1);
        String promoted = "";
        for (JsonElement version : versions) {
            if (version.getAsJsonObject().get("share").getAsDouble() == 1) {
                promoted = version.getAsJsonObject().get("version").getAsString();
            }
        }
        assertThat(promoted).isIn("v1", "v2", "v3");
        awaitAll(promoted + " none none");
    }

    @Test
    void aServerThatJoinsRunsTheApps() throws Exception {
        deploy(0, "v1", "");
        cluster.join();
        Wait.until("the new server answers", LONG, () -> get(SERVERS).equals("v1 none none"));
    }
}
