package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.client.DatabaseName;
import petrichor.movement.backups.BackupCheck;
import petrichor.movement.backups.BackupSets;
import petrichor.movement.backups.FolderTarget;

/** Backups that servers make on schedules. */
final class ScheduledBackupsTest {
    private static final String PATH = "/petrichor/v1/backup-schedules";
    private static final long WITHIN_NANOS = 60_000_000_000L;

    @TempDir Path folder;

    private TestServer start() {
        return TestServer.start(
                config ->
                        config.withData(folder.resolve("data"))
                                .withExports(folder.resolve("backups")));
    }

    private String place() {
        return folder.resolve("backups/shop").toString();
    }

    private static JsonObject schedule(String name, String place) {
        JsonObject set = new JsonObject();
        set.addProperty("action", "set");
        set.addProperty("name", name);
        set.addProperty("place", place);
        set.addProperty("every", "every 1 hours");
        set.add("databases", new JsonArray());
        set.addProperty("fullDays", 0);
        set.addProperty("keepFull", 1);
        set.addProperty("keepDays", 0);
        set.addProperty("drill", true);
        return set;
    }

    private static JsonObject awaited(TestServer server, Predicate<JsonObject> condition) {
        long end = System.nanoTime() + WITHIN_NANOS;
        while (true) {
            JsonObject answer = JsonParser.parseString(server.get(PATH).body()).getAsJsonObject();
            JsonArray all = answer.getAsJsonArray("schedules");
            if (!all.isEmpty() && condition.test(all.get(0).getAsJsonObject())) {
                return all.get(0).getAsJsonObject();
            }
            assertThat(System.nanoTime()).as("%s", answer).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private static boolean succeeded(JsonObject schedule) {
        return schedule.has("lastGood") && !schedule.get("running").getAsBoolean();
    }

    private int sets() {
        BackupSets sets =
                new BackupSets(new FolderTarget(Path.of(place())), new DatabaseName("p", ""), null);
        assertThat(new BackupCheck(sets, (_, _, _) -> {}).run().problems()).isEmpty();
        return sets.find().sets().size();
    }

    @Test
    void backupsAreMadeCheckedAndPrunedAndTheScheduleSurvivesARestart() throws IOException {
        String first;
        try (TestServer server = start()) {
            server.put("p", "a", 1);
            HttpResponse<String> set = server.post(PATH, schedule("hourly", place()).toString());
            assertThat(set.statusCode()).as(set.body()).isEqualTo(200);
            first = awaited(server, ScheduledBackupsTest::succeeded).get("lastGood").getAsString();
            assertThat(sets()).isEqualTo(1);
            server.awaitMetrics("petrichor_backup_failing{schedule=\"hourly\"} 0.0");
            assertThat(server.get("/metrics").body())
                    .contains("petrichor_backup_age_seconds{schedule=\"hourly\"}")
                    .contains("petrichor_backup_last_seconds{schedule=\"hourly\"}");
            String before = first;
            server.put("p", "a", 2);
            // Replacing the schedule runs it; fullDays 0 and keepFull 1 keep only this backup.
            var _ = server.post(PATH, schedule("hourly", place()).toString());
            String second =
                    awaited(
                                    server,
                                    now ->
                                            succeeded(now)
                                                    && !now.get("lastGood")
                                                            .getAsString()
                                                            .equals(before))
                            .get("lastGood")
                            .getAsString();
            assertThat(sets()).isEqualTo(1);
            first = second;
        }
        try (TestServer server = start()) {
            String kept = first;
            assertThat(
                            awaited(server, now -> now.get("lastGood").getAsString().equals(kept))
                                    .get("name")
                                    .getAsString())
                    .isEqualTo("hourly");
            server.awaitMetrics("petrichor_backup_failing{schedule=\"hourly\"} 0.0");
            HttpResponse<String> removed =
                    server.post(PATH, "{\"action\": \"remove\", \"name\": \"hourly\"}");
            assertThat(removed.body()).contains("\"schedules\":[]");
            assertThat(server.post(PATH, "{\"action\": \"remove\", \"name\": \"hourly\"}").body())
                    .contains("There is no backup schedule hourly");
        }
    }

    @Test
    void aDamagedBackupIsReportedAndNothingIsDeleted() throws IOException {
        try (TestServer server = start()) {
            server.put("p", "a", 1);
            var _ = server.post(PATH, schedule("hourly", place()).toString());
            var _ = awaited(server, ScheduledBackupsTest::succeeded);
            Path manifest;
            try (Stream<Path> files = Files.walk(Path.of(place()))) {
                manifest = files.filter(file -> file.endsWith("manifest.json")).findFirst().get();
            }
            byte[] bytes = Files.readAllBytes(manifest);
            bytes[bytes.length / 2] ^= 1;
            Files.write(manifest, bytes);
            server.put("p", "a", 2);

            var _ = server.post(PATH, schedule("hourly", place()).toString());

            JsonObject failed =
                    awaited(server, now -> !now.get("lastError").getAsString().isEmpty());
            assertThat(failed.get("lastError").getAsString()).contains("damaged");
            assertThat(failed.has("lastGood")).isTrue();
            server.awaitMetrics("petrichor_backup_failing{schedule=\"hourly\"} 1.0");
            assertThat(manifest).exists();
        }
    }

    @Test
    void otherFoldersAndMalformedSchedulesAreRefused() {
        try (TestServer server = start()) {
            assertThat(server.post(PATH, schedule("a", "/elsewhere").toString()).body())
                    .contains("may not write backups to /elsewhere");
            assertThat(server.post(PATH, schedule("a", place() + "/../../x").toString()).body())
                    .contains("may not write backups");
            assertThat(server.post(PATH, schedule("a", "relative").toString()).body())
                    .contains("relative");
            assertThat(server.post(PATH, schedule("A B", place()).toString()).body())
                    .contains("is no name of a schedule");
            JsonObject never = schedule("a", place());
            never.addProperty("every", "sometimes");
            assertThat(server.post(PATH, never.toString()).statusCode()).isEqualTo(400);
            assertThat(server.post(PATH, "{\"action\": \"set\"}").body())
                    .contains("A schedule has the fields");
            assertThat(server.get(PATH).body()).contains("\"schedules\":[]");
        }
    }
}
