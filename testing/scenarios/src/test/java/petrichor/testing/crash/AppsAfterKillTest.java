package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.coordination.testkit.Wait;
import petrichor.testing.process.PetrichorServer;

/**
 * Kills the server that owns an app's database while all servers get requests to the app: the
 * others answer again in time, and have every acknowledged write and task.
 */
@Tag("slow")
final class AppsAfterKillTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    /** The target. */
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(5);

    private static final int SERVERS = 3;
    private static final int ACKNOWLEDGED_MIN = 30;

    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    /** Writes an entity per request: the path is kind and name. Tasks do the same. */
    private static final String APP =
            """
            import http.server, json, os, urllib.request

            URL = "http://" + os.environ["DATASTORE_EMULATOR_HOST"] + "/v1/projects/demo:commit"

            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"

                def answer(self, status, text):
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text.encode())

                def do_GET(self):
                    self.answer(200, "here")

                def do_POST(self):
                    self.rfile.read(int(self.headers.get("Content-Length", "0")))
                    _, kind, name = self.path.split("/")
                    body = {"mode": "NON_TRANSACTIONAL", "mutations": [{"upsert": {
                        "key": {"path": [{"kind": kind, "name": name}]},
                        "properties": {"n": {"integerValue": "1"}}}}]}
                    try:
                        urllib.request.urlopen(urllib.request.Request(
                            URL, json.dumps(body).encode(),
                            {"Content-Type": "application/json"}), timeout=20).read()
                    except Exception as failed:
                        self.answer(503, repr(failed))
                        return
                    self.answer(200, "written")

                def log_message(self, *_):
                    pass

            http.server.ThreadingHTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
            """;

    /** A server, and the app at its router. */
    private record Place(PetrichorServer server, String app) {}

    @TempDir private Path folder;
    private final AtomicBoolean over = new AtomicBoolean();
    private final Set<String> writes = ConcurrentHashMap.newKeySet();
    private final Set<String> tasks = ConcurrentHashMap.newKeySet();

    private Map<String, String> own(int number) {
        return Map.of(
                "PETRICHOR_CLUSTER__TOKEN",
                "only servers know",
                "PETRICHOR_APPS__PORT",
                "0",
                "PETRICHOR_APPS__FOLDER",
                folder.resolve("apps-" + number).toString());
    }

    private static @Nullable HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return HTTP.send(
                    request.timeout(Duration.ofSeconds(30)).build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            return null;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static boolean succeeds(HttpRequest.Builder request) {
        HttpResponse<String> answer = send(request);
        return answer != null && answer.statusCode() == 200;
    }

    private static HttpRequest.Builder post(String url, String json) {
        return HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
    }

    private static String at(PetrichorServer server, String path) {
        return "http://127.0.0.1:" + server.port() + path;
    }

    private static void deploy(PetrichorServer server) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, String> file :
                    Map.of(
                                    "app.yaml",
                                    "runtime: python\nentrypoint: python main.py\n",
                                    "main.py",
                                    APP)
                            .entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
        HttpResponse<String> answer =
                send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                at(
                                                        server,
                                                        "/petrichor/v1/deployments?project=demo&version=v1")))
                                .header("Content-Type", "application/zip")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(bytes.toByteArray())));
        assertThat(answer == null ? "" : answer.body()).contains("\"deployed\"");
    }

    /** The app at a server's router, which answers every host for its only app. */
    private static String app(PetrichorServer server) {
        HttpResponse<String> shown =
                send(HttpRequest.newBuilder(URI.create(at(server, "/petrichor/v1/apps/demo"))));
        if (shown == null) {
            throw new AssertionError("the server does not answer");
        }
        JsonObject service =
                JsonParser.parseString(shown.body())
                        .getAsJsonObject()
                        .getAsJsonArray("services")
                        .get(0)
                        .getAsJsonObject();
        return "http://127.0.0.1:" + URI.create(service.get("url").getAsString()).getPort();
    }

    /** Notes what is acknowledged. */
    private void write(String app, String client) {
        for (int n = 0; !over.get(); n++) {
            String name = client + "-" + n;
            if (succeeds(post(app + "/Write/" + name, ""))) {
                writes.add(name);
            }
        }
    }

    private void addTasks(PetrichorServer server, String client) {
        String queue = at(server, "/v2/projects/demo/locations/here/queues/default/tasks");
        for (int n = 0; !over.get(); n++) {
            String name = client + "-" + n;
            String task =
                    "{\"task\": {\"appEngineHttpRequest\": {\"relativeUri\": \"/Task/%s\"}}}"
                            .formatted(name);
            if (succeeds(post(queue, task))) {
                tasks.add(name);
            }
            // The queue delivers five in a second.
            java.util.concurrent.locks.LockSupport.parkNanos(500_000_000);
        }
    }

    private static boolean exists(PetrichorServer server, String kind, String name) {
        HttpResponse<String> found =
                send(
                        post(
                                at(server, "/v1/projects/demo:lookup"),
                                "{\"keys\": [{\"path\": [{\"kind\": \"%s\", \"name\": \"%s\"}]}]}"
                                        .formatted(kind, name)));
        return found != null && found.statusCode() == 200 && found.body().contains("\"found\"");
    }

    @Test
    void theOthersAnswerAndNothingIsLost() throws Exception {
        // The users of builds and instances pass it.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        try (ClusterUnderTest cluster =
                        ClusterUnderTest.start("postgresql", SERVERS, folder, this::own);
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            deploy(cluster.servers().getFirst());
            List<Place> places = new ArrayList<>();
            for (PetrichorServer server : cluster.servers()) {
                Wait.until(
                        "the app answers at every server",
                        LONG,
                        () -> succeeds(HttpRequest.newBuilder(URI.create(app(server)))));
                places.add(new Place(server, app(server)));
            }
            for (Place place : places) {
                String client = "c" + place.server().port();
                clients.execute(() -> write(place.app(), client));
                clients.execute(() -> addTasks(place.server(), client));
            }
            Wait.until("writes are acknowledged", LONG, () -> writes.size() >= ACKNOWLEDGED_MIN);
            PetrichorServer victim = cluster.owner("demo");
            cluster.kill(victim);
            places.removeIf(place -> place.server().equals(victim));
            long killed = System.nanoTime();
            Duration answers = Duration.ZERO;
            Duration written = Duration.ZERO;
            for (Place place : places) {
                Wait.until(
                        "a survivor answers",
                        LONG,
                        () -> succeeds(HttpRequest.newBuilder(URI.create(place.app()))));
                answers = Duration.ofNanos(System.nanoTime() - killed);
            }
            for (Place place : places) {
                Wait.until(
                        "a survivor writes",
                        LONG,
                        () ->
                                succeeds(
                                        post(
                                                place.app()
                                                        + "/Write/after-"
                                                        + place.server().port(),
                                                "")));
                written = Duration.ofNanos(System.nanoTime() - killed);
            }
            int before = writes.size();
            Wait.until("writes go on", LONG, () -> writes.size() >= before + ACKNOWLEDGED_MIN);
            over.set(true);
            System.out.printf(
                    "kill -9 of the owner: survivors answer after %d ms, and write after %d ms;"
                            + " %d writes and %d tasks acknowledged%n",
                    answers.toMillis(), written.toMillis(), writes.size(), tasks.size());
            PetrichorServer survivor = cluster.servers().getFirst();
            assertThat(writes).as(cluster.log()).allMatch(name -> exists(survivor, "Write", name));
            assertThat(tasks).isNotEmpty();
            for (String name : tasks) {
                Wait.until(
                        "the task " + name + " has run",
                        LONG,
                        () -> exists(survivor, "Task", name));
            }
            assertThat(answers).isLessThan(ANSWERS_WITHIN);
            assertThat(written).isLessThan(ANSWERS_WITHIN);
        } finally {
            over.set(true);
        }
    }
}
