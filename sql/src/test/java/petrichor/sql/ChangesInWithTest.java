package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.transactions.databases.RowDatabases;

/** The expected results are those of PostgreSQL 15. */
final class ChangesInWithTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @BeforeEach
    void define() {
        run(session, "CREATE TABLE t (id INT PRIMARY KEY, n NUMERIC(6, 2), s TEXT, j JSON)");
        run(session, "CREATE TABLE done (id INT PRIMARY KEY, s TEXT)");
        run(session, "INSERT INTO t (id, n, s) VALUES (1, 1.5, 'a'), (2, 2, NULL), (3, 3, 'c')");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    @Test
    void aQueryReadsTheRowsOfAChange() {
        String insert =
                "WITH x AS (INSERT INTO t (id, n, s, j) VALUES (4, 4, 'd', JSON '{\"a\":1}')"
                        + " RETURNING id, n AS m, j) SELECT id, m + 1, j FROM x";
        assertThat(run(session, insert)).isEqualTo("4|5.00|{\"a\":1}");
        // The change happens once, even if no row of it is read, and is not seen by the query.
        assertThat(
                        run(
                                session,
                                "WITH gone AS (DELETE FROM t WHERE id = 4 RETURNING *) SELECT"
                                        + " count(*) FROM t"))
                .isEqualTo("4");
        assertThat(run(session, "SELECT count(*) FROM t")).isEqualTo("3");
        assertThat(
                        run(
                                session,
                                "WITH x (a) AS (UPDATE t SET n = n + 1 WHERE id > 1 RETURNING id),"
                                        + " y AS (SELECT a * 10 AS b FROM x) SELECT x.a, y.b FROM x"
                                        + " JOIN y ON y.b = x.a * 10 ORDER BY 1"))
                .isEqualTo("2|20 3|30");
    }

    @Test
    void rowsMoveFromTableToTable() {
        assertThat(
                        run(
                                session,
                                "WITH moved AS (DELETE FROM t WHERE id < $1 RETURNING id, s) INSERT"
                                        + " INTO done SELECT id, s FROM moved RETURNING id",
                                3))
                .isEqualTo("1 2");
        assertThat(run(session, "SELECT * FROM done ORDER BY id")).isEqualTo("1|a 2|null");
        assertThat(run(session, "SELECT id FROM t")).isEqualTo("3");
    }

    @Test
    void changesReadTheClause() {
        assertThat(
                        run(
                                session,
                                "WITH x AS (SELECT 1 AS id, 'z' AS v) UPDATE t SET s = x.v FROM x"
                                        + " WHERE x.id = t.id"))
                .isEqualTo("1");
        assertThat(
                        run(
                                session,
                                "WITH x AS (SELECT max(id) AS id FROM t) DELETE FROM t WHERE id IN"
                                        + " (SELECT id FROM x)"))
                .isEqualTo("1");
        assertThat(
                        run(
                                session,
                                "WITH x AS (SELECT 9 AS id) INSERT INTO done (id) SELECT id FROM"
                                        + " x"))
                .isEqualTo("1");
        assertThat(run(session, "SELECT id, s FROM t ORDER BY id")).isEqualTo("1|z 2|null");
        assertThat(run(session, "SELECT id FROM done")).isEqualTo("9");
    }

    @Test
    void allOfItFailsTogether() {
        assertThat(
                        failure(
                                session,
                                "WITH x AS (DELETE FROM t RETURNING id) INSERT INTO done SELECT 1,"
                                        + " 'x' FROM x"))
                .isEqualTo("23505");
        assertThat(run(session, "SELECT count(*) FROM t")).isEqualTo("3");
        assertThat(run(session, "BEGIN")).isEqualTo("BEGIN");
        assertThat(run(session, "SAVEPOINT a")).isEqualTo("SAVEPOINT");
        assertThat(failure(session, "WITH x AS (DELETE FROM t RETURNING id) SELECT 1 / 0 FROM x"))
                .isEqualTo("22012");
        assertThat(run(session, "ROLLBACK TO a")).isEqualTo("ROLLBACK");
        assertThat(run(session, "SELECT count(*) FROM t")).isEqualTo("3");
        run(session, "COMMIT");
        run(session, "SET default_transaction_read_only = on");
        assertThat(failure(session, "WITH x AS (DELETE FROM t RETURNING id) SELECT * FROM x"))
                .isEqualTo("25006");
    }

    @Test
    void itIsDescribedWithoutEffect() {
        SqlStatement statement =
                session.prepare(
                        "WITH x AS (INSERT INTO t (id, s) VALUES ($1, $2) RETURNING id, s) SELECT"
                                + " s, id FROM x WHERE id > $3",
                        List.of());
        assertThat(statement.parameterTypes())
                .containsExactly(
                        ColumnType.of(DataType.INTEGER),
                        ColumnType.of(DataType.TEXT),
                        ColumnType.of(DataType.INTEGER));
        assertThat(statement.columns())
                .containsExactly(
                        new ResultColumn("s", ColumnType.of(DataType.TEXT)),
                        new ResultColumn("id", ColumnType.of(DataType.INTEGER)));
        assertThat(run(session, "SELECT count(*) FROM t")).isEqualTo("3");
    }
}
