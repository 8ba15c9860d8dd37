package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.coordination.testkit.Wait;

/** Quotas of a deployed app: real instances, requests and tasks. */
class QuotasOfAppsTest {
    private static final String QUOTAS = "/petrichor/v1/apps/demo/quotas";
    private static final Duration WITHIN = Duration.ofSeconds(60);

    /** A request to /slow or a task takes a minute. */
    private static final Map<String, String> APP =
            Map.of(
                    "app.yaml",
                    "runtime: python\nentrypoint: python main.py\n",
                    "main.py",
                    """
                    import http.server, os, time

                    class Handler(http.server.BaseHTTPRequestHandler):
                        def do_POST(self):
                            print("attempt", self.headers["X-AppEngine-TaskRetryCount"], flush=True)
                            time.sleep(60)

                        def do_GET(self):
                            if self.path == "/slow":
                                time.sleep(60)
                            self.send_response(204)
                            self.end_headers()

                    http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
                    """);

    @TempDir private Path folder;

    private static HttpResponse<String> post(HostingServer server, String path, String body)
            throws Exception {
        return server.send(
                server.request(path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private static JsonObject set(HostingServer server, String quota, String value)
            throws Exception {
        HttpResponse<String> answer =
                post(server, QUOTAS, "{\"set\": {\"%s\": \"%s\"}}".formatted(quota, value));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private static JsonObject quota(JsonObject answer, String quota) {
        for (JsonElement each : answer.getAsJsonArray("quotas")) {
            if (each.getAsJsonObject().get("quota").getAsString().equals(quota)) {
                return each.getAsJsonObject();
            }
        }
        throw new AssertionError(answer);
    }

    private static JsonObject shown(HostingServer server, String quota) throws Exception {
        return quota(JsonParser.parseString(server.read(QUOTAS)).getAsJsonObject(), quota);
    }

    private static String deployed(HostingServer server) throws Exception {
        JsonObject result = server.deploy("project=demo&version=v1", APP);
        assertThat(result.has("deployed")).as(result.toString()).isTrue();
        return url(server);
    }

    private static String url(HostingServer server) throws Exception {
        return JsonParser.parseString(server.read("/petrichor/v1/apps/demo"))
                .getAsJsonObject()
                .getAsJsonArray("services")
                .get(0)
                .getAsJsonObject()
                .get("url")
                .getAsString();
    }

    @Test
    void quotasApplyAtOnceAndOutliveARestart() throws Exception {
        try (HostingServer server =
                HostingServer.in(folder, Map.of("PETRICHOR_APPS__QUOTAS", "storage=1GiB"))) {
            String url = deployed(server);
            assertThat(shown(server, "storage").get("text").getAsString()).isEqualTo("1GiB");
            assertThat(shown(server, "storage").get("from").getAsString()).isEqualTo("server");
            assertThat(HostingServer.get(url, "/").statusCode()).isEqualTo(204);

            set(server, "requests", "2/min");
            assertThat(HostingServer.get(url, "/").statusCode()).isEqualTo(204);
            HttpResponse<String> refused = HostingServer.get(url, "/");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValueAsLong("retry-after").orElse(0))
                    .isBetween(1L, 30L);
            JsonObject shown = shown(server, "requests");
            assertThat(shown.get("text").getAsString()).isEqualTo("2/min");
            assertThat(shown.get("usage").getAsLong()).isEqualTo(2);
            assertThat(shown.get("refused").getAsLong()).isEqualTo(1);
            assertThat(server.read("/metrics"))
                    .contains("petrichor_app_quota_limit{app=\"demo\",quota=\"requests\"} 2")
                    .contains(
                            "petrichor_app_quota_refused_total{app=\"demo\",quota=\"requests\"} 1")
                    .contains("petrichor_app_quota_usage{app=\"demo\",quota=\"instances\"} 1");

            server.restart();
            assertThat(shown(server, "requests").get("text").getAsString()).isEqualTo("2/min");
            Wait.until(
                    "the quota applies after the restart",
                    WITHIN,
                    () -> {
                        try {
                            return HostingServer.get(url(server), "/").body().contains("quota");
                        } catch (Exception failed) {
                            throw new AssertionError(failed);
                        }
                    });
            HttpResponse<String> reset = post(server, QUOTAS, "{\"reset\": [\"requests\"]}");
            assertThat(reset.body()).contains("\"unlimited\"");
            assertThat(HostingServer.get(url(server), "/").statusCode()).isEqualTo(204);
        }
    }

    @Test
    void onlyTheOperatorOfTheServerChangesQuotas() throws Exception {
        try (HostingServer server = new HostingServer(folder)) {
            for (String role : new String[] {"deploy", "admin"}) {
                HttpResponse<String> created =
                        post(
                                server,
                                "/petrichor/v1/tokens",
                                """
                                {"action": "create", "name": "%s", "role": "%s", "projects": ["demo"]}
                                """
                                        .formatted(role, role));
                String token =
                        JsonParser.parseString(created.body())
                                .getAsJsonObject()
                                .get("token")
                                .getAsString();
                HttpRequest change =
                        server.request(QUOTAS)
                                .header("Authorization", "Bearer " + token)
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"set\": {\"instances\": \"100\"}}"))
                                .build();
                HttpRequest read =
                        server.request(QUOTAS).header("Authorization", "Bearer " + token).build();
                try (var client = java.net.http.HttpClient.newHttpClient()) {
                    HttpResponse.BodyHandler<String> text = HttpResponse.BodyHandlers.ofString();
                    assertThat(client.send(change, text).statusCode()).isEqualTo(403);
                    assertThat(client.send(read, text).statusCode()).isEqualTo(200);
                }
            }
            assertThat(post(server, QUOTAS, "{\"set\": {\"instance\": \"1\"}}").body())
                    .contains("the nearest is instances");
            assertThat(post(server, QUOTAS, "{\"set\": {\"storage\": \"much\"}}").statusCode())
                    .isEqualTo(400);
            assertThat(post(server, QUOTAS, "{}").statusCode()).isEqualTo(400);
        }
    }

    private static HttpResponse<String> commit(HostingServer server, String mutation)
            throws Exception {
        return post(
                server,
                "/v1/projects/demo:commit",
                "{\"mode\": \"NON_TRANSACTIONAL\", \"mutations\": [%s]}".formatted(mutation));
    }

    private static String key(String name) {
        return "{\"path\": [{\"kind\": \"Text\", \"name\": \"%s\"}]}".formatted(name);
    }

    /** An entity of 60,000 bytes, which is not indexed. */
    private static HttpResponse<String> store(HostingServer server, String name) throws Exception {
        return commit(
                server,
                """
                {"upsert": {"key": %s, "properties": {"text": {"stringValue": "%s", "excludeFromIndexes": true}}}}
                """
                        .formatted(key(name), "x".repeat(60_000)));
    }

    private static HttpResponse<String> upload(HostingServer server, String name) throws Exception {
        return server.send(
                server.request("/upload/storage/v1/b/demo-files/o?uploadType=media&name=" + name)
                        .header("Content-Type", "text/plain")
                        .POST(HttpRequest.BodyPublishers.ofString("x".repeat(60_000))));
    }

    @Test
    void writesOverTheQuotaOfStorageAreRefusedUntilThereIsRoom() throws Exception {
        try (HostingServer server = new HostingServer(folder)) {
            assertThat(
                            post(server, "/storage/v1/b?project=demo", "{\"name\": \"demo-files\"}")
                                    .statusCode())
                    .isEqualTo(200);
            assertThat(store(server, "before").statusCode()).isEqualTo(200);
            set(server, "storage", "200KiB");
            // What was stored before the quota is measured.
            long measured = shown(server, "storage").get("usage").getAsLong();
            assertThat(measured).isBetween(60_000L, 70_000L);
            assertThat(upload(server, "file").statusCode()).isEqualTo(200);
            assertThat(store(server, "after").statusCode()).isEqualTo(200);

            HttpResponse<String> refused = store(server, "more");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.body()).contains("RESOURCE_EXHAUSTED").contains("storage=200KiB");
            assertThat(upload(server, "more").statusCode()).isEqualTo(429);
            assertThat(shown(server, "storage").get("refused").getAsLong())
                    .isGreaterThanOrEqualTo(2);
            assertThat(commit(server, "{\"delete\": " + key("before") + "}").statusCode())
                    .isEqualTo(200);
            Wait.until(
                    "the deletion is measured",
                    WITHIN,
                    () -> {
                        try {
                            return store(server, "more").statusCode() == 200;
                        } catch (Exception failed) {
                            throw new AssertionError(failed);
                        }
                    });
            assertThat(upload(server, "another").statusCode()).isEqualTo(429);
            set(server, "storage", "unlimited");
            assertThat(upload(server, "another").statusCode()).isEqualTo(200);
        }
    }

    @Test
    @Tag("slow")
    void tasksOverTheQuotaAreRefusedAndLongOnesRetried() throws Exception {
        try (HostingServer server = new HostingServer(folder)) {
            String url = deployed(server);
            set(server, "longest-request", "500ms");
            assertThat(HostingServer.get(url, "/slow").statusCode()).isEqualTo(504);
            assertThat(HostingServer.get(url, "/").statusCode()).isEqualTo(204);

            String queues = "/v2/projects/demo/locations/here/queues";
            assertThat(
                            post(
                                            server,
                                            queues,
                                            "{\"name\":"
                                                + " \"projects/demo/locations/here/queues/work\"}")
                                    .statusCode())
                    .isEqualTo(200);
            set(server, "longest-task", "500ms");
            set(server, "tasks", "2/min");
            String task = "{\"task\": {\"appEngineHttpRequest\": {\"relativeUri\": \"/work\"}}}";
            assertThat(post(server, queues + "/work/tasks", task).statusCode()).isEqualTo(200);
            server.awaitLog("demo", "attempt 1");
            set(server, "waiting-tasks", "1");
            HttpResponse<String> full = post(server, queues + "/work/tasks", task);
            assertThat(full.statusCode()).isEqualTo(429);
            assertThat(full.body()).contains("RESOURCE_EXHAUSTED").contains("waiting-tasks=1");
            set(server, "waiting-tasks", "unlimited");
            assertThat(post(server, queues + "/work/tasks", task).statusCode()).isEqualTo(200);
            assertThat(post(server, queues + "/work/tasks", task).body()).contains("tasks=2/min");
            assertThat(shown(server, "tasks").get("usage").getAsLong()).isEqualTo(2);
            assertThat(shown(server, "tasks").get("refused").getAsLong()).isEqualTo(1);
        }
    }
}
