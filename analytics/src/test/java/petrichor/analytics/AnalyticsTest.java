package petrichor.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.memory.MemoryStore;
import petrichor.sql.ResultColumn;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlException;
import petrichor.sql.SqlRights;
import petrichor.sql.SqlSession;
import petrichor.sql.SqlStatement;
import petrichor.sql.StatementResult;
import petrichor.tables.DataType;
import petrichor.transactions.databases.RowDatabases;

/** Sessions whose queries run in a real worker. */
final class AnalyticsTest {
    private static final long DISK = 1L << 30;

    @TempDir private static Path folder;
    private static Analytics analytics;
    private RowDatabases rows;
    private SqlDatabase database;
    private SqlSession session;

    @BeforeAll
    static void start() {
        analytics =
                Analytics.open(
                        new AnalyticsSettings(folder.resolve("worker"), 256L << 20, DISK, 2));
    }

    @AfterAll
    static void stop() {
        analytics.close();
    }

    @BeforeEach
    void open() {
        rows = new RowDatabases(MemoryStore.open());
        database = SqlDatabase.open(rows.open("shop"), analytics);
        session = database.connect("ada", SqlRights.DEFINE);
        run("CREATE TABLE book (id INT PRIMARY KEY, title TEXT, price NUMERIC(8,2), sold DATE)");
        run(
                "INSERT INTO book SELECT x, 'book ' || x, x * 0.5, DATE '2026-01-01' FROM"
                        + " generate_series(1, 5000) AS g(x)");
        run("SET petrichor.engine = 'analytics'");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
    }

    private String run(String text, @Nullable Object... parameters) {
        return run(session, text, parameters);
    }

    private static String run(SqlSession session, String text, @Nullable Object... parameters) {
        StatementResult result = session.execute(text, parameters);
        if (!(result instanceof StatementResult.Rows queried)) {
            return result.tag();
        }
        List<String> lines = new ArrayList<>();
        try (RowIterator rows = queried.rows()) {
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 0; i < queried.columns().size(); i++) {
                    values.add(String.valueOf(rows.value(i)));
                }
                lines.add(String.join("|", values));
            }
        }
        return String.join(" ", lines);
    }

    private String failure(String text) {
        try {
            run(text);
            return "";
        } catch (SqlException failed) {
            return failed.state() + " " + failed.getMessage();
        }
    }

    @Test
    void aggregatesRowsOfATable() {
        assertThat(run("SELECT count(*), sum(price), min(title), max(sold) FROM book"))
                .isEqualTo("5000|6251250.00|book 1|2026-01-01");
    }

    @Test
    void readsWhatWasCommittedBefore() {
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("5000");
        run("DELETE FROM book WHERE id <= 10");
        run("UPDATE book SET title = 'new' WHERE id = 11");
        run("INSERT INTO book VALUES (6000, 'last', 1, NULL)");
        assertThat(run("SELECT count(*), sum(CASE WHEN title = 'new' THEN 1 ELSE 0 END) FROM book"))
                .isEqualTo("4991|1");
        assertThat(run("SELECT title FROM book WHERE sold IS NULL")).isEqualTo("last");
    }

    @Test
    void refusesWhatIsNotAQueryOfThisDatabase() {
        assertThat(failure("SELECT * FROM nothing")).startsWith("42P01");
        assertThat(failure("SELECT nope FROM book")).startsWith("42703");
        assertThat(failure("SELECT * FROM read_csv('/etc/passwd')")).startsWith("42501");
        assertThat(failure("SELECT CAST('x' AS INT) FROM book")).startsWith("22P02");
        assertThat(run("SELECT 1")).isEqualTo("1");
    }

    @Test
    @Tag("slow")
    void aCrashFailsTheQueryOnly() {
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("5000");
        StatementResult.Rows reading =
                (StatementResult.Rows) session.execute("SELECT a.id FROM book a CROSS JOIN book b");
        assertThat(reading.rows().next()).isTrue();
        ProcessHandle.of(analytics.workerId()).orElseThrow().destroyForcibly();
        String state = "";
        try {
            while (reading.rows().next()) {
                // The rows of the socket's buffer come first.
            }
        } catch (SqlException failed) {
            state = failed.state();
        }
        reading.rows().close();
        assertThat(state).isEqualTo("58000");
        assertThat(run("INSERT INTO book VALUES (7000, 'after', 1, NULL)")).isEqualTo("INSERT");
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("5001");
    }

    @Test
    void everyTypeArrivesAsItWasStored() {
        run(
                "CREATE TABLE kinds (a BOOLEAN, b SMALLINT, c BIGINT, d NUMERIC, e REAL, f DOUBLE"
                        + " PRECISION, g CHAR(4), h BYTEA, i DATE, j TIME, k TIMESTAMP, l"
                        + " TIMESTAMP WITH TIME ZONE, m UUID, n JSON, o INT ARRAY, p TEXT ARRAY)");
        run("SET petrichor.engine = 'transactions'");
        run(
                "INSERT INTO kinds VALUES (true, 7, 9000000000, 1.25, 1.5, 2.5, 'ab',"
                        + " X'00ff', DATE '2026-02-03', TIME '10:11:12', TIMESTAMP '2026-02-03"
                        + " 10:11:12.5', TIMESTAMP WITH TIME ZONE '2026-02-03 10:11:12+00',"
                        + " '00000000-0000-0000-0000-000000000001', JSON '{\"a\":1}', ARRAY[1,2],"
                        + " ARRAY['x','y'])");
        run("INSERT INTO kinds (a) VALUES (NULL)");
        String columns = "a, b, c, d, e, f, g, i, j, k, l, m, o, p";
        String text = "SELECT " + columns + " FROM kinds WHERE b = 7";
        String expected = run(text);
        run("SET petrichor.engine = 'analytics'");
        assertThat(run(text).replace("1.2500000000", "1.25")).isEqualTo(expected);
        assertThat(run("SELECT lower(hex(h)) FROM kinds WHERE b = 7")).isEqualTo("00ff");
        assertThat(run("SELECT count(*), count(o), count(n) FROM kinds")).isEqualTo("2|1|1");
    }

    @Test
    void aResultThatIsCanceledOrLateEnds() throws Exception {
        String endless = "SELECT count(*) FROM range(100000000000) a, range(1000) b";
        run("SET statement_timeout = '200ms'");
        assertThat(failure(endless)).startsWith("57014");
        run("SET statement_timeout = 0");
        Thread canceling =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    while (!Thread.interrupted()) {
                                        session.cancel();
                                        Thread.onSpinWait();
                                    }
                                });
        try {
            assertThat(failure(endless)).startsWith("57014");
        } finally {
            canceling.interrupt();
            canceling.join();
        }
        assertThat(run("SELECT 2")).isEqualTo("2");
    }

    @Test
    @Tag("slow")
    void agreesWithTheOtherEngineWhileOthersWrite() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Thread writing =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try (SqlSession other = database.connect("bob")) {
                                        for (int i = 1; !ended.get(); i++) {
                                            // The sum of both rows stays the same.
                                            run(other, "BEGIN");
                                            run(
                                                    other,
                                                    "UPDATE book SET price = price + 1 WHERE id ="
                                                            + " 1");
                                            run(
                                                    other,
                                                    "UPDATE book SET price = price - 1 WHERE id ="
                                                            + " 2");
                                            run(
                                                    other,
                                                    "DELETE FROM book WHERE id = " + (10 + i % 50));
                                            run(
                                                    other,
                                                    "INSERT INTO book VALUES ("
                                                            + (10 + i % 50)
                                                            + ", 'again', 5, NULL)");
                                            run(other, "COMMIT");
                                        }
                                    }
                                });
        String text = "SELECT count(*), sum(price) FILTER (WHERE id < 3) FROM book";
        String rows = "SELECT id, title, price FROM book WHERE id < 70 ORDER BY id";
        try {
            for (int i = 0; i < 15; i++) {
                assertThat(run(text)).isEqualTo("5000|1.50");
                run("BEGIN READ ONLY");
                String fast = run(rows);
                run("SET petrichor.engine = 'transactions'");
                assertThat(fast).isEqualTo(run(rows));
                run("SET petrichor.engine = 'analytics'");
                run("COMMIT");
            }
        } finally {
            ended.set(true);
            writing.join();
        }
    }

    @Test
    void aPastVersionIsRead() {
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("5000");
        long before = System.currentTimeMillis();
        String at =
                OffsetDateTime.ofInstant(Instant.ofEpochMilli(before), ZoneOffset.UTC).toString();
        while (System.currentTimeMillis() <= before + 1) {
            Thread.onSpinWait();
        }
        run("DELETE FROM book WHERE id > 100");
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("100");
        assertThat(run("SELECT count(*) FROM book AS OF SYSTEM TIME '" + at + "'"))
                .isEqualTo("5000");
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("100");
    }

    @Test
    void aTransactionThatHasNotWrittenReadsHere() {
        run("BEGIN");
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("5000");
        try (SqlSession other = database.connect("bob", SqlRights.DEFINE)) {
            run(other, "DELETE FROM book WHERE id = 1");
        }
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("5000");
        assertThat(failure("DELETE FROM book WHERE id = 2")).startsWith("25006");
        run("ROLLBACK");
        run("BEGIN");
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("4999");
        assertThat(failure("CREATE TABLE other (id INT)")).startsWith("25006");
        run("ROLLBACK");
        run("DELETE FROM book WHERE id = 2");
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("4998");
    }

    @Test
    void aTransactionThatHasWrittenDoesNotReadHere() {
        run("BEGIN");
        run("DELETE FROM book WHERE id = 1");
        assertThat(failure("SELECT count(*) FROM book")).startsWith("25001");
        run("ROLLBACK");
        run("SET petrichor.engine = 'auto'");
        run("BEGIN");
        run("DELETE FROM book WHERE id = 1");
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("4999");
        run("ROLLBACK");
        assertThat(failure("SET petrichor.engine = 'fast'")).startsWith("22023");
    }

    @Test
    void aChangedTableIsLoadedAgain() {
        assertThat(run("SELECT count(*) FROM book")).isEqualTo("5000");
        run("ALTER TABLE book ADD COLUMN pages INT DEFAULT 3");
        assertThat(run("SELECT sum(pages) FROM book")).isEqualTo("15000");
        run("ALTER TABLE book DROP COLUMN title");
        assertThat(failure("SELECT title FROM book")).startsWith("42703");
        run("DROP TABLE book");
        assertThat(failure("SELECT count(*) FROM book")).startsWith("42P01");
    }

    @Test
    void columnsAreDescribedBeforeTheFirstRow() {
        try (SqlStatement prepared =
                session.prepare("SELECT count(*), sum(price) AS total, 7/2 FROM book", List.of())) {
            assertThat(prepared.columns().stream().map(ResultColumn::name).toList())
                    .isEqualTo(List.of("count", "total", "?column?"));
            assertThat(prepared.columns().get(1).type().type()).isEqualTo(DataType.NUMERIC);
        }
        assertThat(run("SELECT title FROM book WHERE id = $1", 17)).isEqualTo("book 17");
        assertThat(run("SELECT 7/2")).isEqualTo("3");
    }

    @Test
    void viewsAreThere() {
        run("CREATE VIEW cheap AS SELECT id, title FROM book WHERE price < 2");
        run("CREATE VIEW first AS SELECT min(title) AS title FROM cheap");
        assertThat(run("SELECT count(*) FROM cheap")).isEqualTo("3");
        assertThat(run("SELECT title FROM first")).isEqualTo("book 1");
        assertThat(run("SELECT title FROM public.first")).isEqualTo("book 1");
    }

    @Test
    void explainShowsTheOtherPlan() {
        assertThat(run("EXPLAIN SELECT title, sum(price) FROM book GROUP BY title"))
                .startsWith("Engine: analytics")
                .containsIgnoringCase("group");
    }
}
