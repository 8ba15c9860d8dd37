package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.frontends.access.TokenHash;
import petrichor.server.config.ServerConfig;

/** Replication between two servers, over their pages. */
final class ReplicationPageTest {
    private static final String PATH = "/petrichor/v1/replication";
    private static final String TOKEN = "top-secret-token-of-the-target";
    private static final long WITHIN_NANOS = 60_000_000_000L;

    @TempDir private Path folder;

    private TestServer source() {
        return TestServer.start(
                config -> config.withReplicationTargets(folder.resolve("targets.toml")));
    }

    private TestServer target() {
        return TestServer.start(
                config ->
                        config.withAuth(
                                new ServerConfig.Access(
                                        Optional.of(TOKEN),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Duration.ofMinutes(1))));
    }

    private void pointTo(TestServer target, String token) throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("targets.toml"),
                        "[dr]\nurl = \"http://localhost:%d\"\ntoken = \"%s\"\n"
                                .formatted(target.port(), token));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static String request(String action) {
        JsonObject request = new JsonObject();
        request.addProperty("action", action);
        request.addProperty("project", "p");
        request.addProperty("to", "dr");
        request.addProperty("name", "dr");
        return request.toString();
    }

    private static JsonObject ask(TestServer server, String action) {
        HttpResponse<String> answer = server.post(PATH, request(action));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).doesNotContain(TOKEN);
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private static JsonObject stream(JsonObject status) {
        return status.getAsJsonArray("streams").get(0).getAsJsonObject();
    }

    private static JsonObject awaited(TestServer server, Predicate<JsonObject> condition) {
        long end = System.nanoTime() + WITHIN_NANOS;
        while (true) {
            JsonObject stream = stream(ask(server, "status"));
            if (condition.test(stream)) {
                return stream;
            }
            assertThat(System.nanoTime()).as("%s", stream).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private static boolean follows(JsonObject stream) {
        return stream.get("phase").getAsString().equals("FOLLOWING")
                && stream.has("lagCommits")
                && stream.get("lagCommits").getAsLong() == 0;
    }

    @Test
    void aDatabaseIsPlannedReplicatedPausedAndSwitched() throws IOException {
        try (TestServer source = source();
                TestServer target = target()) {
            pointTo(target, TOKEN);
            for (int i = 0; i < 20; i++) {
                source.put("p", "e" + i, i);
            }
            JsonObject plan = ask(source, "plan");
            assertThat(plan.get("rows").getAsLong()).isEqualTo(20);
            assertThat(plan.get("targetRole").getAsString()).isEqualTo("NONE");
            assertThat(plan.get("recentCommits").getAsLong()).isEqualTo(20);
            assertThat(stream(ask(source, "start")).get("name").getAsString()).isEqualTo("dr");
            assertThat(source.post(PATH, request("start")).body()).contains("already");
            source.put("p", "more", 7);
            JsonObject follows = awaited(source, ReplicationPageTest::follows);
            assertThat(follows.get("lagSeconds").getAsDouble()).isZero();
            source.awaitMetrics(
                    "petrichor_replication_lag_seconds{database=\"p\",stream=\"dr\"} 0.0",
                    "petrichor_replication_retries_total{database=\"p\",stream=\"dr\"} 0.0");
            assertThat(source.get("/metrics").body())
                    .contains("petrichor_replication_commits_total{")
                    .contains("petrichor_replication_sent_bytes_total{");

            assertThat(stream(ask(source, "pause")).get("paused").getAsBoolean()).isTrue();
            source.put("p", "paused", 8);
            JsonObject behind = awaited(source, stream -> stream.get("lagCommits").getAsLong() > 0);
            assertThat(behind.get("lagSeconds").getAsDouble()).isPositive();
            assertThat(behind.get("lagBytes").getAsLong()).isPositive();
            var _ = ask(source, "resume");
            var _ = awaited(source, ReplicationPageTest::follows);

            assertThat(ask(source, "switch").get("pauseMs").getAsDouble()).isPositive();
            assertThatThrownBy(() -> source.put("p", "late", 9))
                    .hasMessageContaining("was switched");
            assertThat(ask(source, "status").get("role").getAsString()).isEqualTo("RETIRED");
            assertThat(stream(ask(source, "status")).get("phase").getAsString())
                    .isEqualTo("PROMOTED");
            assertThat(ask(source, "stop").getAsJsonArray("streams")).isEmpty();
        }
    }

    @Test
    void targetsAreOnlyThoseOfTheFileAndTokensAreNotShown() throws IOException {
        try (TestServer source = source();
                TestServer target = target()) {
            pointTo(target, "another-token-that-is-wrong");
            source.put("p", "a", 1);
            String refused = source.post(PATH, request("start")).body();
            assertThat(refused).contains("refuses the replication (HTTP 401)");
            assertThat(refused).doesNotContain("another-token-that-is-wrong");
            assertThat(source.post(PATH, request("start").replace("\"dr\"", "\"other\"")).body())
                    .contains("has no section [other]");
            Files.setPosixFilePermissions(
                    folder.resolve("targets.toml"), PosixFilePermissions.fromString("rw-r--r--"));
            assertThat(source.post(PATH, request("start")).body()).contains("chmod 600");
            assertThat(target.post(PATH, request("promote")).statusCode()).isEqualTo(401);
            assertThat(target.post("/petrichor/v1/replica", "x").statusCode()).isEqualTo(401);
            assertThat(source.post("/petrichor/v1/replica", "x").body()).contains("malformed");
            assertThat(source.post(PATH, request("promote")).body()).contains("is not a replica");
        }
    }

    @Test
    void anAdministratorOfOneProjectDoesNotReplicateToAnotherOne() throws IOException {
        Path tokens =
                Files.writeString(
                        folder.resolve("tokens.toml"),
                        "[owner]\nrole = \"admin\"\nsha256 = \"%s\"\nprojects = [\"p\"]\n"
                                .formatted(TokenHash.of(TOKEN).hex()));
        Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
        try (TestServer source =
                TestServer.start(
                        config ->
                                config.withAuth(
                                        new ServerConfig.Access(
                                                Optional.empty(),
                                                Optional.empty(),
                                                Optional.of(tokens),
                                                Duration.ofMinutes(1))))) {
            assertThat(asOwner(source, "p")).contains("There is no database p");
            assertThat(asOwner(source, "other")).contains("PERMISSION_DENIED");
        }
    }

    private static String asOwner(TestServer server, String targetProject) {
        JsonObject request = JsonParser.parseString(request("start")).getAsJsonObject();
        request.addProperty("targetProject", targetProject);
        return server.send(
                        server.request(PATH)
                                .header("Content-Type", "application/json")
                                .header("Authorization", "Bearer " + TOKEN)
                                .POST(HttpRequest.BodyPublishers.ofString(request.toString())))
                .body();
    }

    @Test
    void aTokenThatNoHeaderMayHaveIsRefusedAndNotShown() throws IOException {
        try (TestServer source = source();
                TestServer target = target()) {
            pointTo(target, "secret\\nof the target");
            source.put("p", "a", 1);
            assertThat(source.post(PATH, request("start")).body())
                    .contains("has a token in [dr] with a character")
                    .doesNotContain("secret");
        }
    }
}
