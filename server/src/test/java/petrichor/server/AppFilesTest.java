package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.server.pages.IndexesPage;

/** {@code queue.yaml} and the other files of an app beside {@code app.yaml}, over HTTP. */
class AppFilesTest {
    private static final String QUEUES = "/v2/projects/demo/locations/here/queues";
    private static final Map<String, String> FILES =
            Map.of(
                    "queue.yaml",
                    "queue:\n- name: mail\n  rate: 5/s\n- name: slow\n",
                    "cron.yaml",
                    "cron:\n- url: /tick\n  schedule: every 2 hours\n",
                    "index.yaml",
                    "indexes:\n- kind: Note\n  properties:\n  - name: a\n  - name: b\n",
                    "dispatch.yaml",
                    "dispatch:\n- url: '*/work/*'\n  service: worker\n");

    @TempDir private Path folder;
    private HostingServer server;

    @BeforeEach
    void start() throws IOException {
        server = new HostingServer(folder);
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** Answers with the name of its service. */
    private static Map<String, String> app(String service) {
        return Map.of(
                "app.yaml",
                "runtime: python\nentrypoint: python main.py\nservice: " + service + "\n",
                "main.py",
                """
                import http.server, os

                class Handler(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        text = os.environ["GAE_SERVICE"].encode()
                        self.send_response(200)
                        self.send_header("Content-Length", str(len(text)))
                        self.end_headers()
                        self.wfile.write(text)

                http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
                """);
    }

    private static Map<String, String> with(Map<String, String> app, Map<String, String> files) {
        Map<String, String> all = new HashMap<>(app);
        all.putAll(files);
        return all;
    }

    private static List<String> applied(List<JsonObject> events) {
        return events.stream()
                .filter(event -> event.has("event"))
                .filter(event -> event.get("event").getAsString().equals("applied"))
                .map(event -> event.get("file").getAsString())
                .sorted()
                .toList();
    }

    private String indexes() throws IOException, InterruptedException {
        return server.read(IndexesPage.PATH + "?project=demo");
    }

    @Test
    void filesAreAppliedWithTheVersionAndOutliveTheServer() throws Exception {
        server.deploy("project=demo&version=v1", app("default"));
        List<JsonObject> events =
                server.events("project=demo&version=w1", with(app("worker"), FILES));
        assertThat(events.getLast().has("deployed")).as(events.toString()).isTrue();
        assertThat(applied(events))
                .containsExactlyElementsOf(FILES.keySet().stream().sorted().toList());
        String url = events.getLast().getAsJsonObject("deployed").get("url").getAsString();
        assertThat(server.read(QUEUES)).contains("queues/mail", "queues/slow");
        assertThat(indexes()).contains("\"Note\"");
        assertThat(HostingServer.get(url, "/work/1").body()).isEqualTo("worker");
        assertThat(HostingServer.get(url, "/").body()).isEqualTo("default");

        server.restart();
        JsonObject again = server.deploy("project=demo&version=v2", app("default"));
        url = again.getAsJsonObject("deployed").get("url").getAsString();
        assertThat(HostingServer.get(url, "/").body()).isEqualTo("default");
        assertThat(HostingServer.get(url, "/work/1").body()).isEqualTo("worker");
        assertThat(server.read(QUEUES + "/mail")).contains("RUNNING");
    }

    @Test
    void aBrokenFileFailsTheDeploymentBeforeAnythingChanges() throws Exception {
        server.deploy("project=demo&version=v1", app("default"));
        Map<String, String> files = with(app("default"), FILES);
        files.remove("dispatch.yaml");
        files.put("cron.yaml", "cron:\n- url: /tick\n  scedule: every 2 hours\n");
        for (String query : List.of("project=demo&version=v2", "project=demo&only=files")) {
            List<JsonObject> events = server.events(query, files);
            assertThat(events).hasSize(1);
            JsonObject failed = events.getLast().getAsJsonObject("failed");
            assertThat(failed.get("step").getAsString()).isEqualTo("configuration");
            assertThat(failed.get("reason").getAsString())
                    .startsWith("cron.yaml:3 is not valid")
                    .contains("the nearest is \"schedule\"");
        }
        assertThat(server.read(QUEUES)).doesNotContain("queues/mail");
        assertThat(indexes()).doesNotContain("Note");
        assertThat(server.read("/petrichor/v1/apps")).contains("v1").doesNotContain("v2");
    }

    @Test
    void filesAreAppliedWithoutAVersion() throws Exception {
        JsonObject configured =
                server.deploy(
                                "project=demo&only=files",
                                Map.of("queue.yaml", FILES.getOrDefault("queue.yaml", "")))
                        .getAsJsonObject("configured");
        assertThat(configured.get("project").getAsString()).isEqualTo("demo");
        List<JsonObject> events =
                server.events(
                        "project=demo&only=files", Map.of("queue.yaml", "queue:\n- name: mail\n"));
        assertThat(events.getFirst().getAsJsonArray("paused").toString()).isEqualTo("[\"slow\"]");
        assertThat(server.read(QUEUES + "/slow")).contains("PAUSED");
        JsonObject failed =
                server.deploy("project=demo&only=files", Map.of("notes.txt", "x"))
                        .getAsJsonObject("failed");
        assertThat(failed.get("reason").getAsString()).contains("cron.yaml");
    }
}
