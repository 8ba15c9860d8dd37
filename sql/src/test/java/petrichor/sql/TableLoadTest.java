package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Loads as those of COPY. */
@Timeout(120)
final class TableLoadTest {
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

    private static List<@Nullable Object> row(@Nullable Object... values) {
        List<@Nullable Object> list = new ArrayList<>(values.length);
        for (Object value : values) {
            list.add(value);
        }
        return list;
    }

    private long load(String table, List<String> columns, List<List<@Nullable Object>> values) {
        session.beginImplicitBlock();
        try (TableLoad load = session.load(table, columns)) {
            for (List<@Nullable Object> row : values) {
                load.add(row, 10);
            }
            return load.end();
        } finally {
            session.endImplicitBlock();
        }
    }

    private String refused(
            String table, List<String> columns, List<List<@Nullable Object>> values) {
        try {
            load(table, columns, values);
            return "";
        } catch (SqlException failed) {
            return failed.state();
        }
    }

    @Test
    void rowsHaveDefaultsAndAreConverted() {
        run(
                session,
                "CREATE TABLE t (id SERIAL PRIMARY KEY, name VARCHAR(5), made TIMESTAMPTZ DEFAULT"
                        + " CURRENT_TIMESTAMP, data JSONB, twice INT GENERATED ALWAYS AS (id * 2),"
                        + " tags INT[], raw BYTEA)");
        run(session, "SELECT CURRENT_TIMESTAMP");
        long loaded =
                load(
                        "t",
                        List.of("name", "data", "tags", "raw"),
                        Collections.nCopies(100, row("ab", "{\"a\": 1}", "{1,2}", "\\x00ff")));
        assertThat(loaded).isEqualTo(100);
        assertThat(run(session, "SELECT count(DISTINCT id), min(twice - 2 * id) FROM t"))
                .isEqualTo("100|0");
        assertThat(run(session, "SELECT data ->> 'a', tags[2], length(raw) FROM t LIMIT 1"))
                .isEqualTo("1|2|2");
        assertThat(
                        run(
                                session,
                                "SELECT count(*) FROM t WHERE made BETWEEN CURRENT_TIMESTAMP -"
                                        + " INTERVAL '1 minute' AND CURRENT_TIMESTAMP"))
                .isEqualTo("100");
        assertThat(refused("t", List.of("name"), List.of(row("too long")))).isEqualTo("22001");
        assertThat(refused("t", List.of("nothing"), List.of())).isEqualTo("42703");
        assertThat(refused("nothing", List.of("a"), List.of())).isEqualTo("42P01");
    }

    @Test
    void rowsWithoutAPrimaryKeyHaveNumbersOfTheirOwn() {
        run(session, "CREATE TABLE history (at INT)");
        load("history", List.of("at"), Collections.nCopies(2_500, row(1)));
        run(session, "INSERT INTO history VALUES (2)");
        load("history", List.of("at"), Collections.nCopies(2_500, row(3)));
        assertThat(run(session, "SELECT at, count(*) FROM history GROUP BY at ORDER BY at"))
                .isEqualTo("1|2500 2|1 3|2500");
    }

    @Test
    void constraintsHoldAndAFailureLeavesNothing() {
        run(
                session,
                "CREATE TABLE part (id INT PRIMARY KEY, code TEXT UNIQUE, of INT REFERENCES part"
                        + " (id), size INT NOT NULL CHECK (size > 0))");
        List<String> columns = List.of("id", "code", "of", "size");
        // Each refers to the row after it.
        assertThat(
                        load(
                                "part",
                                columns,
                                List.of(
                                        row(1, "a", 2, 1),
                                        row(2, null, null, 1),
                                        row(3, null, 1, 1))))
                .isEqualTo(3);
        List<@Nullable Object> good = row(10, "j", 1, 1);
        assertThat(refused("part", columns, List.of(good, row(10, "k", 1, 1)))).isEqualTo("23505");
        assertThat(refused("part", columns, List.of(good, row(11, "j", 1, 1)))).isEqualTo("23505");
        assertThat(refused("part", columns, List.of(good, row(1, "z", 1, 1)))).isEqualTo("23505");
        assertThat(refused("part", columns, List.of(good, row(4, "a", 1, 1)))).isEqualTo("23505");
        assertThat(refused("part", columns, List.of(good, row(4, "b", 99, 1)))).isEqualTo("23503");
        assertThat(refused("part", columns, List.of(good, row(4, "b", 1, 0)))).isEqualTo("23514");
        assertThat(refused("part", columns, List.of(good, row(4, "b", 1, null))))
                .isEqualTo("23502");
        assertThat(run(session, "SELECT count(*) FROM part")).isEqualTo("3");
        run(session, "BEGIN");
        assertThatThrownBy(() -> load("part", columns, List.of(row(1, "q", 1, 1))))
                .isInstanceOf(SqlException.class);
        assertThat(failure(session, "SELECT 1")).isEqualTo("25P02");
        run(session, "ROLLBACK");
    }

    @Test
    void aLoadThatDoesNotEndLeavesNothing() {
        run(session, "CREATE TABLE t (id INT)");
        for (String begin : List.of("", "BEGIN")) {
            if (!begin.isEmpty()) {
                run(session, begin);
            }
            session.beginImplicitBlock();
            try (TableLoad load = session.load("t", List.of("id"))) {
                for (int id = 0; id < 2_500; id++) {
                    load.add(row(id), 10);
                }
            }
            session.endImplicitBlock();
        }
        assertThat(failure(session, "COMMIT")).isEmpty();
        assertThat(run(session, "SELECT count(*) FROM t")).isEqualTo("0");
    }

    @Test
    void valuesReplaceThoseOfAnIdentityAndColumnsDiffer() {
        run(
                session,
                "CREATE TABLE t (id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n INT, twice INT"
                        + " GENERATED ALWAYS AS (n * 2))");
        load("t", List.of("id", "n"), List.of(row(7, 1)));
        assertThat(run(session, "SELECT id, twice FROM t")).isEqualTo("7|2");
        assertThat(refused("t", List.of("n", "n"), List.of(row(1, 2)))).isEqualTo("42701");
        assertThat(refused("t", List.of("twice"), List.of(row(1)))).isNotEmpty();
    }

    @Test
    void readersHaveNoRightToLoad() {
        run(session, "CREATE TABLE t (id INT)");
        try (SqlSession reader = database.connect("eve", SqlRights.READ)) {
            reader.beginImplicitBlock();
            assertThatThrownBy(() -> reader.load("t", List.of("id")).close())
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            failed -> assertThat(failed.state()).isEqualTo("42501"));
        }
    }
}
