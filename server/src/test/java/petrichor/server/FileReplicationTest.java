package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replication to files, which a process of the server writes. */
@Tag("slow")
final class FileReplicationTest {
    private static final String PATH = "/petrichor/v1/replication";
    private static final long WITHIN_NANOS = 120_000_000_000L;

    private static final String KIND = "Number";

    @TempDir private Path folder;

    private TestServer source(String targets) throws IOException {
        Path file = Files.writeString(folder.resolve("targets.toml"), targets);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return TestServer.start(config -> config.withReplicationTargets(file));
    }

    private static String request(String action, String target) {
        JsonObject request = new JsonObject();
        request.addProperty("action", action);
        request.addProperty("project", "p");
        request.addProperty("to", target);
        request.addProperty("name", target);
        return request.toString();
    }

    private static JsonObject ask(TestServer server, String action, String target) {
        HttpResponse<String> answer = server.post(PATH, request(action, target));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private static JsonObject awaited(TestServer server, Predicate<JsonObject> condition) {
        long end = System.nanoTime() + WITHIN_NANOS;
        while (true) {
            JsonObject stream =
                    ask(server, "status", "").getAsJsonArray("streams").get(0).getAsJsonObject();
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

    private static long number(String database, String sql) {
        long end = System.nanoTime() + WITHIN_NANOS;
        while (true) {
            try (Connection connection = DriverManager.getConnection("jdbc:duckdb:" + database);
                    Statement statement = connection.createStatement();
                    ResultSet result = statement.executeQuery(sql)) {
                assertThat(result.next()).isTrue();
                return result.getLong(1);
            } catch (SQLException open) {
                // The replica has the file open for a moment.
                assertThat(open.getMessage()).contains("lock");
                assertThat(System.nanoTime()).isLessThan(end);
            }
        }
    }

    /** The processes that write replicas; the server has no others. */
    private static List<ProcessHandle> processes() {
        return ProcessHandle.current().descendants().filter(ProcessHandle::isAlive).toList();
    }

    private static long killed() {
        return processes().stream().filter(ProcessHandle::destroyForcibly).count();
    }

    @Test
    void aDuckDbFileFollowsAlsoAfterItsProcessIsKilled() throws IOException {
        Path copy = folder.resolve("copy.duckdb");
        try (TestServer source =
                source("[copy]\nurl = \"duckdb:%s\"\ninterval-ms = 20\n".formatted(copy))) {
            for (int i = 0; i < 20; i++) {
                source.put("p", "e" + i, i);
            }
            assertThat(ask(source, "plan", "copy").get("rows").getAsLong()).isEqualTo(20);
            var _ = ask(source, "start", "copy");
            var _ = awaited(source, FileReplicationTest::follows);
            assertThat(killed()).isPositive();
            for (int i = 20; i < 60; i++) {
                source.put("p", "e" + i, i);
                if (i % 10 == 0) {
                    var _ = killed();
                }
            }
            JsonObject follows = awaited(source, FileReplicationTest::follows);
            assertThat(follows.get("lagSeconds").getAsDouble()).isZero();
            String kind = "SELECT count(*) + 1000 * count(DISTINCT __name__) FROM \"" + KIND + "\"";
            assertThat(number(copy.toString(), kind)).isEqualTo(60_060);
            assertThat(source.post(PATH, request("switch", "copy")).body())
                    .contains("cannot become the primary");

            var _ = ask(source, "pause", "copy");
            source.put("p", "late", 1);
            assertThat(awaited(source, stream -> stream.get("lagCommits").getAsLong() > 0))
                    .isNotNull();
            var _ = ask(source, "resume", "copy");
            var _ = awaited(source, FileReplicationTest::follows);
            assertThat(number(copy.toString(), kind)).isEqualTo(61_061);
            assertThat(ask(source, "stop", "copy").getAsJsonArray("streams")).isEmpty();
        }
        long end = System.nanoTime() + WITHIN_NANOS;
        while (!processes().isEmpty()) {
            assertThat(System.nanoTime()).as("%s", processes()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void parquetFilesOfAFolderFollow() throws IOException {
        Path lake = folder.resolve("lake");
        try (TestServer source =
                source("[lake]\nurl = \"parquet:%s\"\ninterval-ms = 100\n".formatted(lake))) {
            for (int i = 0; i < 20; i++) {
                source.put("p", "e" + i, i);
            }
            var _ = ask(source, "start", "lake");
            var _ = awaited(source, FileReplicationTest::follows);
            source.put("p", "more", 1);
            long end = System.nanoTime() + WITHIN_NANOS;
            while (rows(lake) < 21) {
                assertThat(System.nanoTime()).isLessThan(end);
                Thread.onSpinWait();
            }
        }
    }

    /** Of the files that the manifest names. */
    private static long rows(Path lake) throws IOException {
        Path manifest = lake.resolve("manifest.json");
        if (!Files.exists(manifest)) {
            return 0;
        }
        JsonObject table =
                JsonParser.parseString(Files.readString(manifest))
                        .getAsJsonObject()
                        .getAsJsonArray("tables")
                        .get(0)
                        .getAsJsonObject();
        long rows =
                number(
                        "",
                        "SELECT count(*) FROM '"
                                + lake.resolve(table.get("file").getAsString())
                                + "'");
        assertThat(table.get("rows").getAsLong()).isEqualTo(rows);
        return rows;
    }

    @Test
    void placesThatCannotBeUsedAreRefused() throws IOException {
        Path file = folder.resolve("copy.duckdb");
        try (TestServer source =
                source(
                        """
                        [a]
                        url = "duckdb:relative.duckdb"
                        [b]
                        url = "parquet:s3://bucket/prefix"
                        [c]
                        url = "duckdb:/data/x"
                        token = "t"
                        [d]
                        url = "duckdb:/data/x"
                        interval-ms = -1
                        [e]
                        url = "duckdb:/proc/none/x.duckdb"
                        [f]
                        url = "duckdb:/data/x"
                        interval-ms = 5001
                        [g]
                        url = "duckdb:%s"
                        [h]
                        url = "parquet:/data/lake"
                        state-file = "%s"
                        """
                                .formatted(file, file))) {
            source.put("p", "a", 1);
            assertThat(source.post(PATH, request("start", "a")).body())
                    .contains("needs an absolute file name");
            assertThat(source.post(PATH, request("start", "b")).body())
                    .contains("needs state-file");
            assertThat(source.post(PATH, request("start", "c")).body())
                    .contains("unknown key in [c]");
            assertThat(source.post(PATH, request("start", "d")).body())
                    .contains("as interval-ms in [d]");
            assertThat(source.post(PATH, request("start", "e")).body())
                    .contains("cannot be created");
            assertThat(source.post(PATH, request("start", "f")).body())
                    .contains("needs a number from 0 to 5000 as interval-ms in [f]");
            var _ = ask(source, "plan", "g");
            assertThat(file).doesNotExist();
            var _ = ask(source, "start", "g");
            assertThat(source.post(PATH, request("start", "h")).body())
                    .contains("The replication g of p writes parquet:/data/lake already");
        }
    }
}
