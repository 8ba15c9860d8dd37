package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.entities.Datastore;
import petrichor.server.config.ServerConfig;

/** Tests exports and imports of the Admin API over REST, on a real server. */
class AdminTransferTest {
    private static final Duration DONE_WITHIN = Duration.ofSeconds(60);
    private static final int TASKS = 40;

    @TempDir private Path folder;
    private Path exports;

    @BeforeEach
    void name() {
        exports = folder.resolve("exports");
    }

    private Server start() {
        Server server =
                Server.start(ServerConfig.defaults().withMemory().withPort(0).withExports(exports));
        for (int i = 0; i < TASKS; i++) {
            put(server.datastore(), key("p", "", "Task", "t" + i));
        }
        put(server.datastore(), key("p", "eu", "Task", "elsewhere"));
        put(server.datastore(), key("p", "eu", "User", "ann"));
        return server;
    }

    @Test
    void exportCanBeImportedIntoAnotherProject() throws Exception {
        try (Server server = start()) {
            JsonObject exported =
                    done(
                            server,
                            post(
                                    server,
                                    "p:export",
                                    "{\"labels\":{\"team\":\"a\"},\"outputUrlPrefix\":\""
                                            + exports.resolve("nightly").toUri()
                                            + "\"}"));
            JsonObject metadata = exported.getAsJsonObject("metadata");
            assertThat(metadata.get("@type").getAsString()).endsWith("ExportEntitiesMetadata");
            assertThat(metadata.getAsJsonObject("common").get("state").getAsString())
                    .isEqualTo("SUCCESSFUL");
            assertThat(metadata.getAsJsonObject("common").getAsJsonObject("labels").has("team"))
                    .isTrue();
            assertThat(metadata.getAsJsonObject("progressEntities"))
                    .isEqualTo(progress(TASKS + 2, TASKS + 2));
            String url = url(exported);
            assertThat(url).startsWith(exports.resolve("nightly").toUri().toString());

            JsonObject imported = done(server, importInto(server, "q", url, ""));
            assertThat(imported.getAsJsonObject("response").get("@type").getAsString())
                    .endsWith("Empty");
            assertThat(imported.getAsJsonObject("metadata").getAsJsonObject("progressEntities"))
                    .isEqualTo(progress(TASKS + 2, TASKS + 2));
            for (int i = 0; i < TASKS; i++) {
                assertThat(has(server, key("q", "", "Task", "t" + i))).isTrue();
            }
            assertThat(has(server, key("q", "eu", "User", "ann"))).isTrue();
        }
    }

    @Test
    void filtersApplyToExportsAndToImports() throws Exception {
        try (Server server = start()) {
            JsonObject exported =
                    done(
                            server,
                            post(
                                    server,
                                    "p:export",
                                    "{\"entityFilter\":{\"kinds\":[\"Task\",\"None\"]},"
                                            + "\"outputUrlPrefix\":\""
                                            + exports.toUri()
                                            + "\"}"));
            assertThat(exported.getAsJsonObject("metadata").getAsJsonObject("progressEntities"))
                    .isEqualTo(progress(TASKS + 1, TASKS + 1));
            String url = url(exported);
            JsonObject _ =
                    done(
                            server,
                            importInto(
                                    server,
                                    "q",
                                    url,
                                    ",\"entityFilter\":{\"namespaceIds\":[\"eu\"]}"));
            assertThat(has(server, key("q", "eu", "Task", "elsewhere"))).isTrue();
            assertThat(has(server, key("q", "", "Task", "t0"))).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gs://bucket/x",
                "/srv/exports",
                "file:///etc",
                "file://elsewhere/srv",
                "ROOT../outside",
                "ROOTlink/inside"
            })
    void nothingOutsideOfTheFolderIsWritten(String url) throws Exception {
        Files.createDirectories(exports);
        Files.createSymbolicLink(exports.resolve("link"), folder);
        try (Server server = start()) {
            HttpResponse<String> refused =
                    send(
                            server,
                            "p:export",
                            "{\"outputUrlPrefix\":\""
                                    + url.replace("ROOT", exports.toUri().toString())
                                    + "\"}");
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
            assertThat(refused.body()).contains("INVALID_ARGUMENT");
        }
        try (Stream<Path> outside = Files.list(folder)) {
            assertThat(outside).containsExactly(exports);
        }
    }

    @Test
    void withoutAFolderNothingIsExported() throws Exception {
        try (Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0))) {
            HttpResponse<String> refused =
                    send(server, "p:export", "{\"outputUrlPrefix\":\"file:///tmp/x\"}");
            assertThat(refused.body()).contains("FAILED_PRECONDITION", "store.export-folder");
        }
    }

    @Test
    void aCancelledImportStopsAndKeepsItsWrites() throws Exception {
        try (Server server = start()) {
            String url =
                    url(
                            done(
                                    server,
                                    post(
                                            server,
                                            "p:export",
                                            "{\"outputUrlPrefix\":\"" + exports.toUri() + "\"}")));
            // A named pipe instead of the file: the import blocks until the test writes.
            Path output =
                    Objects.requireNonNull(Path.of(URI.create(url)).getParent())
                            .resolve("all_namespaces/all_kinds/output-0");
            byte[] content = Files.readAllBytes(output);
            Files.delete(output);
            assertThat(new ProcessBuilder("mkfifo", output.toString()).start().waitFor()).isZero();
            JsonObject started = importInto(server, "q", url, "");
            String name = started.get("name").getAsString().substring("projects/q/".length());
            assertThat(get(server, "q/" + name).has("done")).isFalse();
            HttpResponse<String> _ = send(server, "q/" + name + ":cancel", "");
            assertThat(state(get(server, "q/" + name))).isEqualTo("CANCELLING");
            try (OutputStream pipe = Files.newOutputStream(output)) {
                pipe.write(content);
            }
            JsonObject cancelled = done(server, started);
            assertThat(state(cancelled)).isEqualTo("CANCELLED");
            assertThat(cancelled.getAsJsonObject("error").get("code").getAsInt()).isEqualTo(1);
            assertThat(has(server, key("q", "", "Task", "t0"))).isFalse();
        }
    }

    private static String state(JsonObject operation) {
        return operation
                .getAsJsonObject("metadata")
                .getAsJsonObject("common")
                .get("state")
                .getAsString();
    }

    private static JsonObject progress(long completed, long estimated) {
        JsonObject progress = new JsonObject();
        progress.addProperty("workCompleted", Long.toString(completed));
        progress.addProperty("workEstimated", Long.toString(estimated));
        return progress;
    }

    private static String url(JsonObject exported) {
        assertThat(exported.has("error")).as(exported.toString()).isFalse();
        return exported.getAsJsonObject("response").get("outputUrl").getAsString();
    }

    private static JsonObject importInto(Server server, String project, String url, String more)
            throws Exception {
        return post(server, project + ":import", "{\"inputUrl\":\"" + url + "\"" + more + "}");
    }

    private static JsonObject done(Server server, JsonObject started) throws Exception {
        long until = System.nanoTime() + DONE_WITHIN.toNanos();
        String name = started.get("name").getAsString().substring("projects/".length());
        while (true) {
            JsonObject now = get(server, name);
            if (now.has("done")) {
                return now;
            }
            assertThat(System.nanoTime()).as("done in time").isLessThan(until);
            Thread.onSpinWait();
        }
    }

    private static JsonObject post(Server server, String path, String body) throws Exception {
        HttpResponse<String> response = send(server, path, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonParser.parseString(response.body()).getAsJsonObject();
    }

    private static HttpResponse<String> send(Server server, String path, String body)
            throws Exception {
        return send(
                HttpRequest.newBuilder(uri(server, path))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build());
    }

    private static JsonObject get(Server server, String path) throws Exception {
        HttpResponse<String> response = send(HttpRequest.newBuilder(uri(server, path)).build());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonParser.parseString(response.body()).getAsJsonObject();
    }

    private static HttpResponse<String> send(HttpRequest request) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    private static URI uri(Server server, String path) {
        return URI.create("http://localhost:" + server.port() + "/v1/projects/" + path);
    }

    private static Key key(String project, String namespace, String kind, String name) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder().setProjectId(project).setNamespaceId(namespace);
        return key.addPath(Key.PathElement.newBuilder().setKind(kind).setName(name)).build();
    }

    private static void put(Datastore datastore, Key key) {
        var _ =
                datastore
                        .commit(
                                CommitRequest.newBuilder()
                                        .setProjectId(key.getPartitionId().getProjectId())
                                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                        .addMutations(
                                                Mutation.newBuilder()
                                                        .setUpsert(Entity.newBuilder().setKey(key)))
                                        .build())
                        .join();
    }

    private static boolean has(Server server, Key key) {
        return !server.datastore()
                .lookup(
                        LookupRequest.newBuilder()
                                .setProjectId(key.getPartitionId().getProjectId())
                                .addKeys(key)
                                .build())
                .found()
                .isEmpty();
    }
}
