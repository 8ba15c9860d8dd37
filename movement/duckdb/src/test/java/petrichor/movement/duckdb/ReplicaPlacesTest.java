package petrichor.movement.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import petrichor.movement.backups.FolderTarget;
import petrichor.movement.replication.ReplicationLink;
import petrichor.movement.replication.ReplicationRun;
import petrichor.movement.replication.ReplicationStream;
import petrichor.rpc.v1.BeginReplica;
import petrichor.rpc.v1.Leadership;
import petrichor.rpc.v1.ReplicaSelection;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;

/** Where replicas are written, and what is refused there. */
final class ReplicaPlacesTest extends FollowingReplica {
    @Test
    void aFileIsNotPromotedAndTheSourceStaysOpen() {
        source.put(Source.entity("City", "Oslo"));
        try (DuckReplica replica = replica()) {
            follow(replica);
            ReplicationLink link = link(ReplicaSelection.getDefaultInstance(), replica);
            assertThatThrownBy(link::switchOver).hasMessageContaining("cannot become the primary");
            source.put(Source.entity("City", "Rome"));
            follow(replica);
            assertThat(query("SELECT count(*) FROM City")).containsExactly("2");
        }
    }

    @Test
    void aFileOfAnotherSourceIsRefused() {
        source.put(Source.entity("City", "Oslo"));
        try (DuckReplica replica = replica();
                Source other = new Source()) {
            follow(replica);
            ReplicationLink link =
                    new ReplicationLink(
                            new ReplicationStream(
                                    "s2",
                                    "x",
                                    Source.PROJECT,
                                    "copy",
                                    "elsewhere",
                                    ReplicaSelection.getDefaultInstance()),
                            other,
                            replica);
            AtomicBoolean wanted = new AtomicBoolean(true);
            ReplicationRun run = new ReplicationRun(link, wanted::get);
            Thread thread = Thread.ofVirtual().start(run::run);
            await(() -> run.progress().problem().contains("belongs to another replication"), run);
            wanted.set(false);
            thread.interrupt();
            join(thread);
            assertThat(query("SELECT __name__ FROM City")).containsExactly("Oslo");
        }
    }

    private JsonObject manifest(Path lake) {
        try {
            return JsonParser.parseString(Files.readString(lake.resolve(ParquetFiles.MANIFEST)))
                    .getAsJsonObject();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static Path parquet(Path lake, JsonObject manifest, String table) {
        JsonArray tables = manifest.getAsJsonArray("tables");
        for (int i = 0; i < tables.size(); i++) {
            JsonObject one = tables.get(i).getAsJsonObject();
            if (one.get("name").getAsString().equals(table)) {
                return lake.resolve(one.get("file").getAsString());
            }
        }
        throw new AssertionError("no " + table + " in " + manifest);
    }

    @Test
    void everyManifestOfParquetFilesIsAPositionOfTheSource() {
        Path lake = folder.resolve("lake");
        source.put(Source.entity("River", "Po"));
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 30; i++) {
                pair(i, round * 100L + i);
            }
            // A restart each time.
            try (DuckReplica replica = parquet(lake)) {
                follow(replica);
                var _ = replica.ask(describe());
            }
            JsonObject manifest = manifest(lake);
            Path left = parquet(lake, manifest, "Left");
            Path right = parquet(lake, manifest, "Right");
            assertThat(
                            query(
                                    "",
                                    "SELECT count(*), sum(l.value), count(r.value) FILTER"
                                            + " (r.value = l.value) FROM '"
                                            + left
                                            + "' l LEFT JOIN '"
                                            + right
                                            + "' r USING (__name__)"))
                    .containsExactly("30|" + (round * 100 * 30 + 29 * 30 / 2) + "|30");
            assertThat(files(lake.resolve("main.Left"))).isBetween(1, 2);
            assertThat(files(lake.resolve("main.River"))).isEqualTo(1);
        }
    }

    private DuckReplica parquet(Path lake) {
        return new DuckReplica(
                file(),
                Duration.ZERO,
                Optional.of(new ParquetFiles(new FolderTarget(lake), folder.resolve("t"))));
    }

    @Test
    void parquetFilesOfOthersAreNeitherDeletedNorMixedWithOwnOnes() throws IOException {
        Path lake = Files.createDirectories(folder.resolve("lake"));
        Path others = Files.writeString(lake.resolve("other.parquet"), "mine");
        source.put(Source.entity("City", "Oslo"));
        try (DuckReplica replica = parquet(lake)) {
            assertThatThrownBy(() -> begin(replica, "lineage"))
                    .hasMessageContaining("has other files, such as other.parquet");
            Files.delete(others);
            follow(replica);
            source.put(Source.entity("City", "Rome"));
            var _ = Files.writeString(others, "mine");
            follow(replica);
            source.put(Source.entity("City", "Bern"));
            follow(replica);
            var _ = replica.ask(describe());
            assertThat(others).exists();
            assertThat(files(lake.resolve("main.City"))).isBetween(1, 2);
        }
        Files.delete(file());
        try (DuckReplica replica = parquet(lake)) {
            assertThatThrownBy(() -> begin(replica, "another"))
                    .hasMessageContaining("belongs to the replica of another database");
            follow(replica);
        }
    }

    @Test
    void everyTableHasAFolderOfItsOwn() {
        List<CopyTable> tables =
                List.of(
                        new CopyTable("table:1", "a.b", "c"),
                        new CopyTable("table:2", "a", "b.c"),
                        new CopyTable("table:3", "main", "Aa\u00e9"),
                        new CopyTable("table:4", "main", "BB\u00e9"),
                        new CopyTable("kind:x", "main", "x".repeat(1_500)));
        assertThat(tables.stream().map(ParquetFiles::folder).distinct())
                .hasSize(tables.size())
                .allMatch(name -> name.matches("[A-Za-z0-9_-]{1,60}~[0-9a-f]{16}"));
        assertThat(ParquetFiles.folder(new CopyTable("kind:City", "main", "City")))
                .isEqualTo("main.City");
    }

    @Test
    void aFileWithOtherTablesIsRefused() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:" + file());
                Statement statement = connection.createStatement()) {
            var _ = statement.execute("CREATE TABLE mine AS SELECT 1 AS one");
        }
        try (DuckReplica replica = replica()) {
            assertThatThrownBy(() -> begin(replica, "lineage"))
                    .hasMessageContaining("such as main.mine");
        }
        assertThat(query("SELECT one FROM mine")).containsExactly("1");
    }

    @Test
    void aLookAtTheTargetDoesNotCreateTheFile() {
        try (DuckReplica replica = replica()) {
            assertThat(described(replica).getRole()).isEqualTo(ReplicaStatus.Role.NONE);
        }
        assertThat(file()).doesNotExist();
    }

    private static ReplicationResponse begin(DuckReplica replica, String lineage) {
        return replica.ask(
                ReplicationRequest.newBuilder()
                        .setBegin(
                                BeginReplica.newBuilder()
                                        .setStream("s9")
                                        .setLeadership(
                                                Leadership.newBuilder()
                                                        .setLineage(lineage)
                                                        .setEpoch(1)))
                        .build());
    }

    private static int files(Path below) {
        String[] names = below.toFile().list();
        return names == null ? 0 : names.length;
    }
}
