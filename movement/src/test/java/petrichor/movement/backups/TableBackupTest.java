package petrichor.movement.backups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.client.DatabaseName;
import petrichor.kv.memory.MemoryStore;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlException;
import petrichor.sql.SqlSession;
import petrichor.sql.StatementResult;

/** Tables are restored together with their indexes, sequences and views. */
class TableBackupTest {
    private static final DatabaseName COPY = new DatabaseName("copy", "restored");

    @TempDir Path folder;

    private final Home home = new Home(MemoryStore.open());

    @AfterEach
    void close() {
        home.close();
    }

    private interface Use {
        void use(SqlSession session);
    }

    private void sql(DatabaseName name, Use use) {
        try (SqlDatabase database = SqlDatabase.open(home.database(name).rows());
                SqlSession session = database.connect("ada")) {
            use.use(session);
        }
    }

    private static List<String> run(SqlSession session, String text) {
        List<String> lines = new ArrayList<>();
        if (session.execute(text) instanceof StatementResult.Rows result) {
            try (RowIterator rows = result.rows()) {
                while (rows.next()) {
                    List<String> values = new ArrayList<>();
                    for (int i = 0; i < result.columns().size(); i++) {
                        values.add(String.valueOf(rows.value(i)));
                    }
                    lines.add(String.join("|", values));
                }
            }
        }
        return lines;
    }

    private BackupSets sets() {
        return new BackupSets(new FolderTarget(folder.resolve("backups")), Home.DATABASE, null);
    }

    private BackupSet backUp(boolean full) {
        return new BackupRun(
                        home,
                        sets(),
                        new BackupRun.Options(full, BackupRun.Options.CONSUMER, 2),
                        (_, _, _) -> {})
                .run()
                .set();
    }

    private Restore.Difference restore(long version, BackupFilter filter, DatabaseName target) {
        return new Restore(home, sets(), new Restore.Plan(version, filter, target), (_, _, _) -> {})
                .apply();
    }

    private static void create(SqlSession session) {
        run(session, "CREATE TABLE item (id SERIAL PRIMARY KEY, name TEXT UNIQUE, price INT)");
        run(session, "CREATE INDEX by_price ON item (price)");
        run(session, "CREATE TABLE note (text TEXT)");
        run(session, "CREATE VIEW cheap AS SELECT name FROM item WHERE price < 10");
        run(session, "CREATE SEQUENCE s START 100");
        run(session, "SELECT nextval('s')");
        for (int i = 0; i < 20; i++) {
            run(session, "INSERT INTO item (name, price) VALUES ('n" + i + "', " + i + ")");
        }
        run(session, "INSERT INTO note VALUES ('first')");
    }

    private static final List<String> QUERIES =
            List.of(
                    "SELECT * FROM item ORDER BY id",
                    "SELECT name FROM item WHERE price = 7",
                    "SELECT id FROM item WHERE name = 'n3'",
                    "SELECT name FROM cheap ORDER BY name",
                    "SELECT text FROM note ORDER BY text");

    private static Map<String, List<String>> answers(SqlSession session) {
        Map<String, List<String>> answers = new LinkedHashMap<>();
        QUERIES.forEach(query -> answers.put(query, run(session, query)));
        return answers;
    }

    @Test
    void everyVersionOfTheTablesCanBeRestored() {
        Map<Long, Map<String, List<String>>> states = new LinkedHashMap<>();
        sql(Home.DATABASE, TableBackupTest::create);
        home.put("City", "oslo", 1);
        backUp(false);
        sql(
                Home.DATABASE,
                session -> {
                    for (int i = 0; i < 12; i++) {
                        run(session, "UPDATE item SET price = price + 5 WHERE id % 3 = " + i % 3);
                        run(session, "DELETE FROM item WHERE name = 'n" + i + "'");
                        run(session, "INSERT INTO note VALUES ('note " + i + "')");
                        if (i == 5) {
                            run(session, "ALTER TABLE item ADD COLUMN color TEXT DEFAULT 'red'");
                        }
                        states.put(home.put("City", "oslo", i), answers(session));
                        if (i % 4 == 3) {
                            backUp(i == 7);
                        }
                    }
                });
        backUp(false);
        assertThat(new BackupCheck(sets(), (_, _, _) -> {}).run().problems()).isEmpty();
        sql(
                COPY,
                session ->
                        states.forEach(
                                (version, state) -> {
                                    var _ = restore(version, BackupFilter.ALL, COPY);
                                    assertThat(answers(session))
                                            .as("version %d", version)
                                            .isEqualTo(state);
                                    assertThat(restore(version, BackupFilter.ALL, COPY).none())
                                            .isTrue();
                                }));
    }

    @Test
    void constraintsAndSequencesContinueInTheCopy() {
        sql(Home.DATABASE, TableBackupTest::create);
        long version = backUp(false).version();
        assertThat(sets().find().sets().getFirst().manifest().rows(Manifest.Content.TABLES))
                .isGreaterThan(60);

        var _ = restore(version, BackupFilter.ALL, COPY);

        sql(
                COPY,
                session -> {
                    assertThatThrownBy(() -> run(session, "INSERT INTO item (name) VALUES ('n4')"))
                            .isInstanceOfSatisfying(
                                    SqlException.class,
                                    refused -> assertThat(refused.state()).isEqualTo("23505"));
                    run(session, "INSERT INTO item (name) VALUES ('new')");
                    assertThat(run(session, "SELECT count(DISTINCT id) FROM item"))
                            .containsExactly("21");
                    assertThat(Long.parseLong(run(session, "SELECT nextval('s')").getFirst()))
                            .isGreaterThan(100);
                    run(session, "INSERT INTO note VALUES ('second')");
                    assertThat(run(session, "SELECT text FROM note ORDER BY text"))
                            .containsExactly("first", "second");
                    run(session, "CREATE SEQUENCE other");
                    assertThat(run(session, "SELECT nextval('other')")).containsExactly("1");
                });
    }

    @Test
    void aRestoreInPlaceIsSeenByOpenSessionsAndNumbersDoNotGoBack() {
        sql(
                Home.DATABASE,
                session -> {
                    create(session);
                    Map<String, List<String>> before = answers(session);
                    long version = backUp(false).version();
                    long number = Long.parseLong(run(session, "SELECT nextval('s')").getFirst());
                    for (int i = 0; i < 100; i++) {
                        number = Long.parseLong(run(session, "SELECT nextval('s')").getFirst());
                        run(session, "INSERT INTO note VALUES ('n" + i + "')");
                    }
                    run(session, "DROP VIEW cheap");
                    run(session, "ALTER TABLE item DROP COLUMN price");
                    run(session, "CREATE TABLE later (id INT PRIMARY KEY)");

                    var _ = restore(version, BackupFilter.ALL, Home.DATABASE);

                    assertThat(answers(session)).isEqualTo(before);
                    assertThatThrownBy(() -> run(session, "SELECT * FROM later"))
                            .isInstanceOf(SqlException.class);
                    assertThat(Long.parseLong(run(session, "SELECT nextval('s')").getFirst()))
                            .isGreaterThan(number);
                    run(session, "INSERT INTO note VALUES ('after')");
                    assertThat(run(session, "SELECT text FROM note ORDER BY text"))
                            .containsExactly("after", "first");
                    run(session, "CREATE TABLE later (name TEXT)");
                    run(session, "INSERT INTO later VALUES ('x')");
                    assertThat(run(session, "SELECT * FROM later")).containsExactly("x");
                });
    }

    @Test
    void aRestoreOfOneKindLeavesTablesAlone() {
        home.put("City", "oslo", 1);
        sql(Home.DATABASE, TableBackupTest::create);
        long version = backUp(false).version();
        home.put("City", "oslo", 2);
        sql(
                Home.DATABASE,
                session -> {
                    run(session, "DELETE FROM note");
                    Restore.Difference done =
                            restore(
                                    version,
                                    new BackupFilter(
                                            java.util.Optional.of("City"),
                                            java.util.Optional.empty(),
                                            java.util.Optional.empty()),
                                    Home.DATABASE);
                    assertThat(done.changed()).isEqualTo(1);
                    assertThat(run(session, "SELECT * FROM note")).isEmpty();
                });
    }
}
