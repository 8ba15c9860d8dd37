package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Temporary tables and named statements, which belong to a session. */
final class SessionObjectsTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    @Test
    void aTemporaryTableBelongsToItsSession() {
        run(session, "CREATE TABLE t (n int)");
        run(session, "CREATE TEMP TABLE part (id int PRIMARY KEY, n int)");
        run(session, "CREATE INDEX part_n ON part (n)");
        run(session, "INSERT INTO part VALUES (1, 10), (2, 20)");
        run(session, "INSERT INTO t SELECT n FROM part");
        assertThat(run(session, "SELECT sum(t.n) FROM t JOIN part ON t.n = part.n"))
                .isEqualTo("30");
        run(session, "ALTER TABLE part ADD COLUMN m int DEFAULT 7");
        assertThat(run(session, "SELECT m FROM part WHERE id = 2")).isEqualTo("7");
        run(session, "CREATE TABLE later (id int)");
        try (SqlSession other = database.connect("bob")) {
            assertThat(failure(other, "SELECT * FROM part")).isEqualTo("42P01");
            assertThat(run(other, "SELECT count(*) FROM later")).isEqualTo("0");
            run(other, "CREATE TEMPORARY TABLE part (other text)");
            run(other, "INSERT INTO part VALUES ('x')");
            assertThat(run(other, "SELECT * FROM part")).isEqualTo("x");
        }
        run(session, "DROP TABLE part");
        assertThat(failure(session, "SELECT * FROM part")).isEqualTo("42P01");
    }

    @Test
    void temporaryTablesEndWithTheSession() {
        try (SqlSession other = database.connect("bob")) {
            run(other, "BEGIN");
            run(other, "CREATE TEMP TABLE undone (id int)");
            run(other, "ROLLBACK");
            assertThat(failure(other, "SELECT * FROM undone")).isEqualTo("42P01");
            run(other, "CREATE TEMP TABLE part AS SELECT 1 AS id");
            assertThat(run(session, schemas())).isEqualTo("1");
            run(other, "DISCARD ALL");
            assertThat(failure(other, "SELECT * FROM part")).isEqualTo("42P01");
            run(other, "SELECT 1 AS id INTO TEMP part");
            assertThat(run(other, "SELECT id FROM part")).isEqualTo("1");
        }
        assertThat(run(session, schemas())).isEqualTo("0");
        assertThat(failure(session, "CREATE TEMP TABLE x (id int) ON COMMIT DROP"))
                .isEqualTo("0A000");
    }

    @Test
    void aTemporaryTableHidesAnotherOfItsName() {
        run(session, "CREATE TABLE t (n int)");
        run(session, "INSERT INTO t VALUES (1)");
        run(session, "CREATE TEMP TABLE t (n int)");
        run(session, "INSERT INTO t VALUES (2)");
        assertThat(run(session, "SELECT n FROM t")).isEqualTo("2");
        assertThat(run(session, "SELECT n FROM public.t")).isEqualTo("1");
        run(session, "DROP TABLE t");
        assertThat(run(session, "SELECT n FROM t")).isEqualTo("1");
    }

    private static String schemas() {
        return "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname LIKE 'pg_temp_%'";
    }

    @Test
    void aTableNamedTempIsAnOrdinaryOne() {
        run(session, "CREATE TABLE temp (local int)");
        try (SqlSession other = database.connect("bob")) {
            assertThat(run(other, "SELECT count(local) FROM temp")).isEqualTo("0");
        }
    }

    @Test
    void selectIntoCreatesATable() {
        run(session, "CREATE TABLE t (n int)");
        run(session, "INSERT INTO t VALUES (1), (2)");
        run(session, "SELECT n, n * 2 AS d INTO u FROM t WHERE n > 1");
        assertThat(run(session, "SELECT * FROM u")).isEqualTo("2|4");
        assertThat(failure(session, "SELECT n INTO u FROM t")).isEqualTo("42P07");
    }

    @Test
    void executeFillsInParameters() {
        run(session, "CREATE TABLE t (n int, s text)");
        run(session, "PREPARE add (int, text) AS INSERT INTO t VALUES ($1, $2 || '$1')");
        assertThat(run(session, "EXECUTE add (1 + 1, 'a')")).isEqualTo("1");
        run(session, "PREPARE find AS SELECT s FROM t WHERE n = $1");
        assertThat(run(session, "EXECUTE find (2)")).isEqualTo("a$1");
        assertThat(failure(session, "PREPARE find AS SELECT 1")).isEqualTo("42P05");
        assertThat(failure(session, "EXECUTE find")).isEqualTo("42601");
        run(session, "DEALLOCATE find");
        assertThat(failure(session, "EXECUTE find (2)")).isEqualTo("26000");
        run(session, "DEALLOCATE ALL");
        assertThat(failure(session, "EXECUTE add (1, 'a')")).isEqualTo("26000");
    }

    @Test
    void executeNeedsTheRightsOfItsStatement() {
        run(session, "CREATE TABLE t (n int)");
        try (SqlSession reader = database.connect("eve", SqlRights.READ)) {
            run(reader, "PREPARE add AS INSERT INTO t VALUES (1)");
            assertThat(failure(reader, "EXECUTE add")).isEqualTo("42501");
        }
    }

    @Test
    void settingsOfThePlannerAreKept() {
        run(session, "SET enable_seqscan = off");
        assertThat(run(session, "SHOW enable_seqscan")).isEqualTo("off");
        run(session, "RESET enable_seqscan");
        assertThat(run(session, "SHOW enable_seqscan")).isEqualTo("on");
        assertThat(failure(session, "SET enable_nothing = off")).isEqualTo("42704");
    }

    @Test
    void numbersThatAreNoneAreValues() {
        assertThat(run(session, "SELECT CAST('NaN' AS decfloat)")).isEqualTo("NaN");
    }

    @Test
    void sortOperatorsAreUnderstood() {
        run(session, "CREATE TABLE t (n int)");
        run(session, "INSERT INTO t VALUES (1), (2)");
        assertThat(run(session, "SELECT n FROM t ORDER BY n USING >")).isEqualTo("2 1");
    }
}
