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
final class CursorsTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @BeforeEach
    void define() {
        run(session, "CREATE TABLE t (id INT PRIMARY KEY, s TEXT)");
        run(session, "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    @Test
    void rowsAreFetchedInSteps() {
        run(session, "BEGIN");
        String declare =
                "DECLARE \"c 1\" NO SCROLL CURSOR FOR SELECT * FROM t WHERE id > $1 ORDER BY id";
        assertThat(run(session, declare, 1)).isEqualTo("DECLARE CURSOR");
        assertThat(failure(session, "SAVEPOINT a")).isEmpty();
        assertThat(failure(session, declare, 1)).isEqualTo("42P03");
        run(session, "ROLLBACK TO a");
        // PostgreSQL would keep this cursor.
        assertThat(failure(session, "FETCH \"c 1\"")).isEqualTo("34000");
        run(session, "ROLLBACK");

        run(session, "BEGIN");
        run(session, declare, 1);
        assertThat(run(session, "FETCH \"c 1\"")).isEqualTo("2|b");
        run(session, "UPDATE t SET s = 'z' WHERE id = 4");
        assertThat(run(session, "FETCH FORWARD 1 FROM \"c 1\"")).isEqualTo("3|c");
        assertThat(run(session, "FETCH ALL IN \"c 1\"")).isNotEmpty();
        assertThat(run(session, "FETCH NEXT FROM \"c 1\"")).isEmpty();
        assertThat(run(session, "CLOSE \"c 1\"")).isEqualTo("CLOSE CURSOR");
        assertThat(failure(session, "FETCH \"c 1\"")).isEqualTo("34000");
        run(session, "ROLLBACK");
    }

    @Test
    void aCursorEndsWithItsTransactionUnlessItIsHeld() {
        assertThat(failure(session, "DECLARE c CURSOR FOR SELECT 1")).isEqualTo("25P01");
        run(session, "DECLARE h CURSOR WITH HOLD FOR SELECT id FROM t ORDER BY id");
        run(session, "BEGIN");
        run(session, "DECLARE c CURSOR FOR SELECT id FROM t");
        run(session, "COMMIT");
        assertThat(failure(session, "FETCH c")).isEqualTo("34000");
        run(session, "DELETE FROM t");
        assertThat(run(session, "FETCH 2 FROM h")).isEqualTo("1 2");
        assertThat(run(session, "FETCH 9 FROM h")).isEqualTo("3 4");
        run(session, "CLOSE ALL");
        assertThat(failure(session, "FETCH h")).isEqualTo("34000");
    }

    @Test
    void itIsDescribed() {
        run(session, "BEGIN");
        SqlStatement declare =
                session.prepare("DECLARE c CURSOR FOR SELECT s FROM t WHERE id = $1", List.of());
        assertThat(declare.parameterTypes()).containsExactly(ColumnType.of(DataType.INTEGER));
        StatementResult _ = declare.execute(List.of(3));
        List<ResultColumn> columns = List.of(new ResultColumn("s", ColumnType.of(DataType.TEXT)));
        assertThat(session.prepare("FETCH 5 FROM c", List.of()).columns()).isEqualTo(columns);
        assertThat(session.cursor("c")).isEqualTo(columns);
        assertThat(run(session, "FETCH 5 FROM c")).isEqualTo("c");
    }

    @Test
    void aCursorMovesInAllDirections() {
        run(session, "BEGIN");
        run(session, "DECLARE c SCROLL CURSOR FOR SELECT x FROM system_range(1, 5) AS s(x)");
        assertThat(run(session, "FETCH 2 FROM c")).isEqualTo("1 2");
        assertThat(run(session, "FETCH PRIOR FROM c")).isEqualTo("1");
        assertThat(run(session, "FETCH LAST FROM c")).isEqualTo("5");
        assertThat(run(session, "FETCH BACKWARD ALL FROM c")).isEqualTo("4 3 2 1");
        assertThat(run(session, "MOVE 3 FROM c")).isEqualTo("3");
        assertThat(run(session, "FETCH RELATIVE -1 FROM c")).isEqualTo("2");
        assertThat(run(session, "FETCH ABSOLUTE -2 FROM c")).isEqualTo("4");
        assertThat(run(session, "FETCH 0 FROM c")).isEqualTo("4");
        assertThat(run(session, "FETCH FORWARD ALL FROM c")).isEqualTo("5");
        assertThat(run(session, "FETCH NEXT FROM c")).isEmpty();
        assertThat(run(session, "FETCH -1 FROM c")).isEqualTo("5");
        assertThat(run(session, "FETCH FIRST FROM c")).isEqualTo("1");
    }

    @Test
    void rowsAreKeptForMovesBackwardUpToALimit() {
        String query = "SELECT x FROM system_range(1, 100010) AS s(x)";
        run(session, "BEGIN");
        run(session, "DECLARE plain CURSOR FOR " + query);
        run(session, "MOVE 100 FROM plain");
        assertThat(run(session, "FETCH PRIOR FROM plain")).isEqualTo("99");
        run(session, "MOVE ALL FROM plain");
        run(session, "SAVEPOINT s");
        assertThat(failure(session, "FETCH PRIOR FROM plain")).isEqualTo("55000");
        run(session, "ROLLBACK TO s");
        run(session, "DECLARE large SCROLL CURSOR FOR " + query);
        assertThat(failure(session, "MOVE ALL FROM large")).isEqualTo("54000");
        run(session, "ROLLBACK");
        run(session, "BEGIN");
        run(session, "DECLARE c NO SCROLL CURSOR FOR " + query);
        run(session, "FETCH 2 FROM c");
        assertThat(failure(session, "FETCH PRIOR FROM c")).isEqualTo("55000");
    }

    @Test
    void otherStatementsAreRefused() {
        assertThat(failure(session, "DECLARE c CURSOR WITH HOLD FOR DELETE FROM t"))
                .isEqualTo("42601");
        assertThat(failure(session, "DECLARE c")).isEqualTo("42601");
    }
}
