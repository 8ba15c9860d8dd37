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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
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

/** Apps on a cluster have as many instances in all as one server would have. */
@Tag("slow")
class AppsSpreadTest {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int SERVERS = 3;
    private static final int BODY_BYTES = 5 << 20;

    /** Answers with its instance and the fields that it got, and with the length of a body. */
    private static final String APP =
            """
            import http.server, json, os

            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"

                def answer(self, value):
                    text = json.dumps(value).encode()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)

                def do_GET(self):
                    fields = {name.lower(): value for name, value in self.headers.items()}
                    self.answer({"instance": os.environ["GAE_INSTANCE"], "fields": fields})

                def do_POST(self):
                    body = self.rfile.read(int(self.headers["Content-Length"]))
                    self.answer({"instance": os.environ["GAE_INSTANCE"], "length": len(body)})

                def log_message(self, *_):
                    pass

            http.server.ThreadingHTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
            """;

    @TempDir private Path folder;
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

    private void deploy(String scaling) throws Exception {
        assertThat(deploy(0, scaling, Map.of())).contains("\"deployed\"");
    }

    private String deploy(int server, String scaling, Map<String, String> more) throws Exception {
        Map<String, String> files = new HashMap<>(more);
        files.put("app.yaml", "runtime: python\nentrypoint: python main.py\n" + scaling);
        files.put("main.py", APP);
        HttpResponse<String> answer =
                HTTP.send(
                        request(server, "/petrichor/v1/deployments?project=demo&version=v1")
                                .header("Content-Type", "application/zip")
                                .POST(
                                        HttpRequest.BodyPublishers.ofByteArray(
                                                HostingServer.zip(files)))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        return answer.body();
    }

    private HttpRequest.Builder request(int server, String path) {
        return HttpRequest.newBuilder(
                        URI.create(
                                "http://127.0.0.1:" + cluster.node(server).server().port() + path))
                .timeout(LONG);
    }

    private JsonObject shown(int server) {
        try {
            HttpResponse<String> answer =
                    HTTP.send(
                            request(server, "/petrichor/v1/apps/demo").build(),
                            HttpResponse.BodyHandlers.ofString());
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (IOException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    private JsonArray instances(int server) {
        JsonArray fleets = shown(server).getAsJsonArray("fleets");
        return fleets == null || fleets.isEmpty()
                ? new JsonArray()
                : fleets.get(0).getAsJsonObject().getAsJsonArray("instances");
    }

    /** Servers of the instances that are ready, as one server sees them. */
    private List<String> places(int server) {
        List<String> places = new ArrayList<>();
        for (JsonElement each : instances(server)) {
            JsonObject instance = each.getAsJsonObject();
            if (instance.get("state").getAsString().equals("ready")) {
                places.add(instance.get("server").getAsString());
            }
        }
        return places;
    }

    private String router(int server) {
        URI url =
                URI.create(
                        shown(server)
                                .getAsJsonArray("services")
                                .get(0)
                                .getAsJsonObject()
                                .get("url")
                                .getAsString());
        return "http://127.0.0.1:" + url.getPort() + "/";
    }

    private static JsonObject answer(HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer =
                    HTTP.send(request.timeout(LONG).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (IOException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    private List<String> routersOf(int count) {
        List<String> routers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int server = i;
            Wait.until("the server routes", LONG, () -> isRouting(server));
            routers.add(router(server));
        }
        return routers;
    }

    private boolean isRouting(int server) {
        try {
            return HTTP.send(
                                    HttpRequest.newBuilder(URI.create(router(server))).build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException | InterruptedException | IllegalArgumentException notYet) {
            return false;
        }
    }

    @Test
    void allServersAnswerWithTheOnlyInstance() throws Exception {
        deploy("automatic_scaling:\n  min_instances: 1\n  max_instances: 1\n");
        Set<String> answered = new HashSet<>();
        for (String router : routersOf(SERVERS)) {
            JsonObject answer =
                    answer(
                            HttpRequest.newBuilder(URI.create(router))
                                    .header("X-AppEngine-QueueName", "forged")
                                    .header("X-Petrichor-Version", "demo/default/v1")
                                    .header("X-Petrichor-Gate", "0".repeat(64))
                                    .header("X-Petrichor-Instance", "none"));
            answered.add(answer.get("instance").getAsString());
            JsonObject fields = answer.getAsJsonObject("fields");
            assertThat(fields.get("x-appengine-user-ip").getAsString()).isEqualTo("127.0.0.1");
            assertThat(fields.has("x-appengine-api-ticket")).isTrue();
            assertThat(fields.keySet())
                    .as("no field of the hop or of a client reaches the app")
                    .noneMatch(name -> name.startsWith("x-petrichor-"))
                    .doesNotContain("x-appengine-queuename");
            JsonObject posted =
                    answer(
                            HttpRequest.newBuilder(URI.create(router))
                                    .POST(
                                            HttpRequest.BodyPublishers.ofByteArray(
                                                    new byte[BODY_BYTES])));
            assertThat(posted.get("length").getAsInt()).isEqualTo(BODY_BYTES);
            answered.add(posted.get("instance").getAsString());
        }
        assertThat(answered).hasSize(1);
        for (int i = 0; i < SERVERS; i++) {
            assertThat(places(i)).hasSize(1);
        }
    }

    @Test
    void theInstancesOfAServerThatIsLostMoveAndNoRequestFails() throws Exception {
        deploy("manual_scaling:\n  instances: 3\n");
        List<String> routers = routersOf(SERVERS);
        Wait.until(
                "each server has an instance",
                LONG,
                () -> new HashSet<>(places(0)).size() == SERVERS && places(0).size() == SERVERS);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger answers = new AtomicInteger();
        List<String> failures = new ArrayList<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (String router : routers.subList(0, SERVERS - 1)) {
                clients.execute(() -> ask(router, over, answers, failures));
            }
            Wait.until("requests are answered", LONG, () -> answers.get() > 50);
            cluster.node(SERVERS - 1).server().close();
            Wait.until(
                    "the others have three instances",
                    LONG,
                    () -> places(0).size() == SERVERS && new HashSet<>(places(0)).size() == 2);
            int before = answers.get();
            Wait.until("requests go on", LONG, () -> answers.get() > before + 50);
            over.set(true);
        }
        assertThat(failures).isEmpty();
    }

    private static void ask(
            String router, AtomicBoolean over, AtomicInteger answers, List<String> failures) {
        while (!over.get()) {
            try {
                answer(HttpRequest.newBuilder(URI.create(router)));
                answers.incrementAndGet();
            } catch (AssertionError failed) {
                synchronized (failures) {
                    failures.add(String.valueOf(failed.getMessage()));
                }
            }
        }
    }

    @Test
    void filesTakeEffectWhicheverServerGetsThem() throws Exception {
        for (int i = 0; i < SERVERS; i++) {
            String queue = "queue-" + i;
            String events =
                    deploy(
                            i,
                            "",
                            Map.of(
                                    "queue.yaml",
                                    "queue:\n- name: " + queue + "\n",
                                    "index.yaml",
                                    """
                                    indexes:
                                    - kind: Note
                                      properties:
                                      - name: a
                                      - name: b
                                    """));
            assertThat(events).contains("\"deployed\"", queue, "Note");
        }
        assertThat(deploy(1, "", Map.of("queue.yaml", "queue:\n- name: ''\n")))
                .contains("\"failed\"", "queue.yaml");
    }

    @Test
    void theAssignedServerStartsTheFirstInstance() throws Exception {
        deploy("basic_scaling:\n  max_instances: 1\n  idle_timeout: 3s\n");
        List<String> routers = routersOf(SERVERS);
        Wait.until("no instance is left", LONG, () -> instances(0).isEmpty());
        Set<String> answered = new HashSet<>();
        for (String router : routers) {
            answered.add(
                    answer(HttpRequest.newBuilder(URI.create(router)))
                            .get("instance")
                            .getAsString());
        }
        assertThat(answered).as("instances that requests have started").hasSize(1);
    }
}
