package petrichor.movement.backups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.client.DatabaseName;
import petrichor.kv.memory.MemoryStore;
import petrichor.rpc.v1.RowsResponse;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlSession;

class BackupDrillTest {
    private static final DatabaseName SCRATCH = new DatabaseName("p", "drill");

    @TempDir Path folder;

    private final Home home = new Home(MemoryStore.open());
    private long version;

    @BeforeEach
    void backUp() {
        for (int i = 0; i < 30; i++) {
            home.put(i % 3 == 0 ? "City" : "River", "n" + i, i);
        }
        try (SqlDatabase database = SqlDatabase.open(home.database(Home.DATABASE).rows());
                SqlSession session = database.connect("ada")) {
            var _ = session.execute("CREATE TABLE item (id SERIAL PRIMARY KEY, name TEXT UNIQUE)");
            for (int i = 0; i < 5; i++) {
                var _ = session.execute("INSERT INTO item (name) VALUES ('n" + i + "')");
            }
        }
        version =
                new BackupRun(
                                home,
                                sets(),
                                new BackupRun.Options(false, BackupRun.Options.CONSUMER, 2),
                                (_, _, _) -> {})
                        .run()
                        .set()
                        .version();
    }

    @AfterEach
    void close() {
        home.close();
    }

    private BackupSets sets() {
        return new BackupSets(new FolderTarget(folder.resolve("backups")), Home.DATABASE, null);
    }

    private BackupDrill.Report drill(RowsOwner owner, boolean replace) {
        return new BackupDrill(
                        owner,
                        sets(),
                        new BackupDrill.Plan(version, SCRATCH, replace),
                        (_, _, _) -> {})
                .run();
    }

    @Test
    void aSoundBackupPassesAndLeavesNothing() {
        home.put("City", "later", 1);

        BackupDrill.Report report = drill(home, false);

        assertThat(report.passed()).as("%s", report).isTrue();
        assertThat(report.withSource()).isTrue();
        assertThat(report.parts())
                .extracting(BackupDrill.Part::name)
                .containsExactly(
                        "catalog of tables", "kind City", "kind River", "table public.item");
        assertThat(report.parts().get(1).restored()).isEqualTo(10);
        assertThat(report.parts().getLast().restored()).isEqualTo(10);
        assertThat(home.entities(SCRATCH, 0)).isEmpty();
        assertThat(drill(home, false).passed()).isTrue();
    }

    @Test
    void aRowThatIsRestoredWronglyFailsTheDrill() {
        RowsOwner wrong =
                request -> {
                    RowsResponse response = home.ask(request);
                    return request.hasScan() && request.getDatabase().equals("p/drill")
                            ? changed(response)
                            : response;
                };

        BackupDrill.Report report = drill(wrong, false);

        assertThat(report.passed()).isFalse();
        assertThat(report.parts().stream().filter(part -> !part.equal()))
                .extracting(BackupDrill.Part::name)
                .containsExactly("kind City");
    }

    /** Without its first row, if that is a city. */
    private static RowsResponse changed(RowsResponse response) {
        List<BackupRow> rows =
                new ArrayList<>(RowBlock.decode(ByteBuffer.wrap(response.getRows().toByteArray())));
        if (!rows.isEmpty() && rows.getFirst().key()[0] == 'E') {
            rows.removeFirst();
        }
        return response.toBuilder()
                .setRows(ByteString.copyFrom(RowBlock.encode(rows)))
                .setCount(rows.size())
                .build();
    }

    @Test
    void aDamagedBackupFailsTheDrillAndLeavesNothing() throws IOException {
        Path segment;
        try (Stream<Path> files = Files.walk(folder)) {
            segment = files.filter(file -> file.toString().contains("tables-")).findFirst().get();
        }
        byte[] bytes = Files.readAllBytes(segment);
        bytes[bytes.length / 2] ^= 1;
        Files.write(segment, bytes);

        assertThatThrownBy(() -> drill(home, false)).hasMessageContaining("damaged");

        assertThat(home.entities(SCRATCH, 0)).isEmpty();
    }

    @Test
    void rowsOfAnotherUseAreNotDeleted() {
        Restore.Plan all = new Restore.Plan(version, BackupFilter.ALL, SCRATCH);
        var _ = new Restore(home, sets(), all, (_, _, _) -> {}).apply();

        assertThatThrownBy(() -> drill(home, false)).hasMessageContaining("is not empty");
        assertThat(home.entities(SCRATCH, 0)).hasSize(30);

        assertThat(drill(home, true).passed()).isTrue();
        assertThat(home.entities(SCRATCH, 0)).isEmpty();
        assertThatThrownBy(
                        () ->
                                new BackupDrill(
                                        home,
                                        sets(),
                                        new BackupDrill.Plan(version, Home.DATABASE, true),
                                        (_, _, _) -> {}))
                .hasMessageContaining("its own scratch database");
    }
}
