package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.transactions.databases.RowDatabases;

/** The expected results are those of PostgreSQL 15. */
final class OnConflictTest {
    private static final int SESSIONS = 8;
    private static final int INCREMENTS = 25;

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @BeforeEach
    void define() {
        run(
                session,
                "CREATE TABLE stock (id INT PRIMARY KEY, code TEXT, n INT DEFAULT 5 CHECK (n <"
                        + " 100), CONSTRAINT stock_code UNIQUE (code))");
        run(session, "INSERT INTO stock VALUES (1, 'a', 10), (2, 'b', 20)");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    private String all() {
        return run(session, "SELECT * FROM stock ORDER BY id");
    }

    @Test
    void doNothingKeepsTheRowOfTheArbiterOnly() {
        String more = "INSERT INTO stock VALUES (1, 'x', 1), (3, 'c', 3), (3, 'd', 4)";
        assertThat(run(session, more + " ON CONFLICT (id) DO NOTHING RETURNING id, code"))
                .isEqualTo("3|c");
        assertThat(run(session, more + " ON CONFLICT DO NOTHING")).isEqualTo("0");
        assertThat(all()).isEqualTo("1|a|10 2|b|20 3|c|3");
        assertThat(
                        failure(
                                session,
                                "INSERT INTO stock VALUES (4, 'a', 1) ON CONFLICT (id) DO NOTHING"))
                .isEqualTo("23505");
        assertThat(
                        run(
                                session,
                                "INSERT INTO stock VALUES (4, 'a', 1) ON CONFLICT ON CONSTRAINT"
                                        + " stock_code DO NOTHING"))
                .isEqualTo("0");
    }

    @Test
    void doUpdateSeesBothRows() {
        assertThat(
                        run(
                                session,
                                "INSERT INTO stock AS s (id, code, n) VALUES (1, 'z', 7), (5, 'e',"
                                    + " 8) ON CONFLICT (id) DO UPDATE SET n = s.n + excluded.n,"
                                    + " code = s.code || excluded.code RETURNING s.id, n, code"))
                .isEqualTo("1|17|az 5|8|e");
        assertThat(
                        run(
                                session,
                                "INSERT INTO stock (id, code) SELECT 9, 'b' ON CONFLICT (code) DO"
                                        + " UPDATE SET (n, id) = (DEFAULT, excluded.id)"))
                .isEqualTo("1");
        assertThat(all()).isEqualTo("1|az|17 5|e|8 9|b|5");
        // Through the index, too.
        assertThat(run(session, "SELECT id FROM stock WHERE code = 'az'")).isEqualTo("1");
        assertThat(run(session, "SELECT id FROM stock WHERE code = 'a'")).isEmpty();
    }

    @Test
    void aConditionThatDoesNotHoldLeavesTheRow() {
        String text =
                "INSERT INTO stock (id, n) VALUES (1, 3), (2, 30) ON CONFLICT (id) DO UPDATE SET n"
                        + " = excluded.n WHERE stock.n < excluded.n RETURNING id, n";
        assertThat(run(session, text)).isEqualTo("2|30");
        assertThat(all()).isEqualTo("1|a|10 2|b|30");
    }

    @Test
    void parametersOfTheClauseHaveTheTypesOfTheColumns() {
        String text =
                "INSERT INTO stock (id, code) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n ="
                        + " $3, code = $2 WHERE stock.n <> $4::int";
        SqlStatement statement = session.prepare(text, List.of());
        assertThat(statement.parameterTypes())
                .containsExactly(
                        ColumnType.of(DataType.INTEGER),
                        ColumnType.of(DataType.TEXT),
                        ColumnType.of(DataType.INTEGER),
                        ColumnType.of(DataType.INTEGER));
        assertThat(run(session, text, 1, "new", 77, 11)).isEqualTo("1");
        assertThat(run(session, text, 1, "other", 78, 77)).isEqualTo("0");
        assertThat(all()).isEqualTo("1|new|77 2|b|20");
        String first =
                "INSERT INTO stock (id, code) VALUES ($2, $3) ON CONFLICT (id) DO UPDATE SET n ="
                        + " $1";
        assertThat(run(session, first, 55, 2, "q")).isEqualTo("1");
        assertThat(all()).isEqualTo("1|new|77 2|b|55");
    }

    @Test
    void oneStatementAffectsARowOnce() {
        String twice = "INSERT INTO stock (id, n) VALUES (7, 1), (7, 2) ON CONFLICT (id) DO ";
        assertThat(failure(session, twice + "UPDATE SET n = excluded.n")).isEqualTo("21000");
        assertThat(run(session, twice + "NOTHING")).isEqualTo("1");
        assertThat(all()).isEqualTo("1|a|10 2|b|20 7|null|1");
    }

    @Test
    void constraintsOfTheUpdatedRowAreChecked() {
        run(session, "CREATE TABLE item (stock INT REFERENCES stock (id))");
        run(session, "INSERT INTO item VALUES (1)");
        String text =
                "INSERT INTO stock (id, code) VALUES (1, 'y') ON CONFLICT (id) DO UPDATE SET ";
        assertThat(failure(session, text + "n = 100")).isEqualTo("23514");
        assertThat(failure(session, text + "code = 'b'")).isEqualTo("23505");
        assertThat(failure(session, text + "id = 8")).isEqualTo("23503");
        assertThat(all()).isEqualTo("1|a|10 2|b|20");
        run(session, "INSERT INTO item VALUES (NULL)");
    }

    @Test
    void invalidClausesAreRefused() {
        String text = "INSERT INTO stock (id) VALUES (1) ON CONFLICT ";
        assertThat(failure(session, text + "(n) DO NOTHING")).isEqualTo("42P10");
        assertThat(failure(session, text + "(id, code) DO NOTHING")).isEqualTo("42P10");
        assertThat(failure(session, text + "(missing) DO NOTHING")).isEqualTo("42703");
        assertThat(failure(session, text + "DO UPDATE SET n = 1")).isEqualTo("42601");
        assertThat(failure(session, text + "(id) DO UPDATE SET n = n + 1")).isEqualTo("42702");
        assertThat(failure(session, text + "(id) DO UPDATE SET x = 1")).isEqualTo("42703");
        assertThat(failure(session, text + "(id) DO UPDATE SET n = 1, n = 2")).isEqualTo("42601");
        assertThat(failure(session, text + "(id) DO DELETE")).isEqualTo("42601");
        assertThat(failure(session, text + "(id) DO UPDATE SET n")).isEqualTo("42601");
        assertThat(failure(session, text + "(lower(code)) DO NOTHING")).isEqualTo("0A000");
        assertThat(failure(session, text + "ON CONSTRAINT none DO NOTHING")).isEqualTo("42704");
        assertThatThrownBy(() -> run(session, text + "(n) DO NOTHING"))
                .hasMessageContaining("no unique or exclusion constraint");
    }

    @Test
    void concurrentUpsertsLoseNothing() throws Exception {
        List<Callable<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            tasks.add(this::increment);
        }
        int inserted = 0;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Integer> done : threads.invokeAll(tasks)) {
                inserted += done.get();
            }
        }
        assertThat(inserted).isEqualTo(1);
        assertThat(run(session, "SELECT n FROM counter WHERE name = 'hits'"))
                .isEqualTo(Integer.toString(SESSIONS * INCREMENTS));
    }

    /** Returns how often it inserted the row. */
    private int increment() {
        int inserted = 0;
        try (SqlSession own = database.connect("bob")) {
            String created =
                    failure(
                            own,
                            "CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, n INT)");
            assertThat(created).isIn("", "42P07");
            for (int i = 0; i < INCREMENTS; i++) {
                String n =
                        run(
                                own,
                                "INSERT INTO counter VALUES ('hits', 1) ON CONFLICT (name) DO"
                                        + " UPDATE SET n = counter.n + excluded.n RETURNING n");
                inserted += n.equals("1") ? 1 : 0;
            }
        }
        return inserted;
    }
}
