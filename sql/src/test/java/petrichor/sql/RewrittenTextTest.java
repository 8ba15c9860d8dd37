package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Statements that look like what is written in another way for the engine, and are not. */
final class RewrittenTextTest {
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
    void columnsMayHaveNamesOfTypes() {
        run(session, "CREATE TABLE readings (id int PRIMARY KEY, time timestamp, v int)");
        run(session, "INSERT INTO readings VALUES (1, '2024-01-01 00:00:00', 3)");
        run(session, "CREATE TABLE m AS SELECT time, v FROM readings");
        assertThat(run(session, "SELECT time, v FROM m")).isEqualTo("2024-01-01T00:00|3");
        run(
                session,
                "CREATE TABLE e (id int PRIMARY KEY, ts timestamp, a time DEFAULT time"
                        + " '10:00:00')");
        run(session, "ALTER TABLE e ADD time timestamp");
        run(session, "ALTER TABLE e ALTER time SET NOT NULL");
        run(session, "ALTER TABLE e RENAME COLUMN time TO t");
        run(session, "ALTER TABLE e ADD COLUMN IF NOT EXISTS time timestamp");
        run(session, "ALTER TABLE e DROP COLUMN time");
        run(session, "ALTER TABLE e RENAME COLUMN ts TO time");
        run(
                session,
                "INSERT INTO e (id, time, t) VALUES (1, '2024-01-01 00:00:00', '2024-01-02"
                        + " 00:00:00')");
        assertThat(run(session, "SELECT time, a FROM e")).isEqualTo("2024-01-01T00:00|10:00");
        run(session, "ALTER TABLE e ADD COLUMN b time");
        run(session, "ALTER TABLE e ADD c time");
        run(session, "UPDATE e SET b = '10:00:00.123456', c = '10:00:00.123456'");
        assertThat(run(session, "SELECT b, c FROM e")).isEqualTo("10:00:00.123456|10:00:00.123456");
        run(session, "CREATE TABLE p (tags text[2], n int[] DEFAULT ARRAY[1])");
        run(session, "INSERT INTO p (tags) VALUES (ARRAY['x', 'y', 'z'])");
        run(session, "CREATE TABLE x AS SELECT tags[1] AS tag, n FROM p");
        assertThat(run(session, "SELECT tag, n[1] FROM x")).isEqualTo("x|1");
    }

    @Test
    void conflictsAndReturnedColumnsAreNotPartOfASelect() {
        run(session, "CREATE TABLE t (id int PRIMARY KEY, n int)");
        run(session, "INSERT INTO t (id) SELECT generate_series(1, 10) ON CONFLICT DO NOTHING");
        assertThat(
                        run(
                                session,
                                "INSERT INTO t (id) SELECT generate_series(9, 12) ON CONFLICT (id)"
                                        + " DO NOTHING RETURNING id"))
                .isEqualTo("11 12");
        run(session, "CREATE TABLE a (id int PRIMARY KEY)");
        run(session, "CREATE TABLE b (id int PRIMARY KEY, n int)");
        run(session, "INSERT INTO a VALUES (1), (20)");
        run(session, "INSERT INTO b VALUES (1, 5), (20, 6)");
        assertThat(
                        run(
                                session,
                                "INSERT INTO t SELECT id, n FROM a JOIN b USING (id) WHERE id > 0"
                                    + " ON CONFLICT (id) DO UPDATE SET n = excluded.n RETURNING id,"
                                    + " n"))
                .isEqualTo("1|5 20|6");
        run(session, "CREATE TABLE posts (id int PRIMARY KEY, tags text[])");
        run(session, "CREATE TABLE tags (tag text PRIMARY KEY)");
        run(session, "INSERT INTO posts VALUES (1, ARRAY['x', 'y']), (2, ARRAY['y', 'z'])");
        String insert =
                "INSERT INTO tags SELECT DISTINCT tag FROM posts, unnest(posts.tags) AS tag";
        run(session, insert + " ON CONFLICT (tag) DO NOTHING");
        run(
                session,
                insert + " WHERE tag > 'x' ON CONFLICT (tag) DO UPDATE SET tag = excluded.tag");
        assertThat(run(session, "SELECT tag FROM tags ORDER BY tag")).isEqualTo("x y z");
    }

    @Test
    void tablesMayHaveNamesOfFunctions() {
        run(session, "CREATE TABLE round (game_id int, number int)");
        run(session, "INSERT INTO round (game_id, number) VALUES (1, 2)");
        run(session, "CREATE INDEX by_game ON round (game_id, number)");
        assertThat(
                        run(
                                session,
                                "SELECT round(1.25, 1), number FROM round JOIN (SELECT 1 AS x) s ON"
                                        + " round(1.25, 1) = 1.3"))
                .isEqualTo("1.3|2");
        assertThat(run(session, "WITH rpad (a, b) AS (SELECT 1, 2) SELECT b FROM rpad"))
                .isEqualTo("2");
        assertThat(
                        run(
                                session,
                                "WITH x AS (SELECT 1 AS n), rpad (a, b) AS (SELECT 1, 2) SELECT b"
                                        + " FROM rpad"))
                .isEqualTo("2");
        run(session, "CREATE TABLE lpad (id int PRIMARY KEY, s text)");
        run(session, "CREATE TABLE l (id int REFERENCES lpad (id))");
        run(session, "INSERT INTO lpad (id, s) VALUES (1, 'x')");
    }

    @Test
    void mergedColumnsMayHaveNamesOfTypesAndFields() {
        run(session, "CREATE TABLE sales (id int PRIMARY KEY, date date, n int)");
        run(session, "CREATE TABLE days (date date PRIMARY KEY, year int)");
        run(session, "CREATE TABLE years (year int PRIMARY KEY)");
        run(session, "INSERT INTO sales VALUES (1, '2024-01-05', 3)");
        run(session, "INSERT INTO days VALUES ('2024-01-05', 2024)");
        run(session, "INSERT INTO years VALUES (2024)");
        assertThat(
                        run(
                                session,
                                "SELECT date, n FROM sales JOIN days USING (date) WHERE sales.date"
                                        + " >= date '2024-01-01'"))
                .isEqualTo("2024-01-05|3");
        assertThat(
                        run(
                                session,
                                "SELECT year, EXTRACT(year FROM days.date) FROM days JOIN years"
                                        + " USING (year)"))
                .isEqualTo("2024|2024");
    }

    @Test
    void textsAreConcatenatedWithJson() {
        run(session, "CREATE TABLE t (name text, data jsonb)");
        run(session, "INSERT INTO t VALUES ('x', '{\"n\": {\"a\": 1}}')");
        assertThat(run(session, "SELECT name || (data -> 'n') FROM t")).isEqualTo("x{\"a\":1}");
        assertThat(run(session, "SELECT name || ': ' || (data -> 'n') FROM t"))
                .isEqualTo("x: {\"a\":1}");
        assertThat(run(session, "SELECT (data -> 'n') || ' is ' || name FROM t"))
                .isEqualTo("{\"a\":1} is x");
        assertThat(run(session, "SELECT name || (data -> 'n')::text FROM t"))
                .isEqualTo("x{\"a\":1}");
        assertThat(run(session, "SELECT (data -> 'n') - 'a', ('[1, 2]'::jsonb) - 0 FROM t"))
                .isEqualTo("{}|[2]");
        assertThat(run(session, "SELECT data || jsonb_build_object('b', 2) FROM t"))
                .isEqualTo("{\"n\":{\"a\":1},\"b\":2}");
        assertThat(run(session, "SELECT data || '{\"b\": 2}'::jsonb FROM t"))
                .isEqualTo("{\"n\":{\"a\":1},\"b\":2}");
        assertThat(run(session, "SELECT (data -> 'n') || '{\"b\": 2}' FROM t"))
                .isEqualTo("{\"a\":1,\"b\":2}");
    }

    @Test
    void intervalsAreAdded() {
        run(session, "CREATE TABLE t (id int PRIMARY KEY, a timestamp, b timestamp, d date)");
        run(
                session,
                "INSERT INTO t VALUES (1, '2024-01-01 00:00:00', '2024-01-01 02:00:00',"
                        + " '2024-01-01')");
        String hours =
                run(
                        session,
                        "SELECT (TIMESTAMP '2024-01-01 03:00:00' - TIMESTAMP '2024-01-01"
                                + " 00:00:00')");
        assertThat(run(session, "SELECT d + INTERVAL '1 hour' FROM (SELECT b - a AS d FROM t) x"))
                .isEqualTo(hours);
        assertThat(run(session, "SELECT e + INTERVAL '1 hour' FROM (SELECT b - a e FROM t) x"))
                .isEqualTo(hours);
        assertThat(run(session, "SELECT max(b - a) + INTERVAL '1 hour' FROM t")).isEqualTo(hours);
        assertThat(run(session, "SELECT d + INTERVAL '1 hour' FROM t"))
                .isEqualTo("2024-01-01T01:00");
    }

    @Test
    void aTextThatGrowsWithItsGroupingSetsIsLimited() {
        String query = "SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, 5 AS e, 6 AS f";
        for (int i = 0; i < 4; i++) {
            query =
                    "SELECT a, b, c, d, e, f FROM ("
                            + query
                            + ") x GROUP BY CUBE (a, b, c, d, e, f)";
        }
        assertThat(failure(session, query)).isEqualTo("54000");
    }

    @Test
    void allColumnsOfARowFunctionAreItsValues() {
        run(session, "CREATE TABLE p (id int PRIMARY KEY, tags text[])");
        run(session, "INSERT INTO p VALUES (1, ARRAY['x', 'y'])");
        assertThat(run(session, "SELECT p.id, x.* FROM p, unnest(p.tags) AS x"))
                .isEqualTo("1|x 1|y");
        String numbered = " FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS t(v, n)";
        assertThat(run(session, "SELECT t.*" + numbered)).isEqualTo("a|1 b|2");
        assertThat(run(session, "SELECT *" + numbered + " WHERE n > 1")).isEqualTo("b|2");
        assertThat(run(session, "SELECT v, n" + numbered)).isEqualTo("a|1 b|2");
    }

    @Test
    void groupingSetsKnowColumnsWithAndWithoutTheirTable() {
        run(session, "CREATE TABLE t (a int, b int)");
        run(session, "INSERT INTO t VALUES (1, 2), (1, 3)");
        assertThat(
                        run(
                                session,
                                "SELECT a, b, count(*) FROM t GROUP BY GROUPING SETS ((t.a), (a,"
                                        + " b)) ORDER BY 3, 2"))
                .isEqualTo("1|2|1 1|3|1 1|null|2");
        assertThat(
                        run(
                                session,
                                "SELECT a, any_value(b), (SELECT max(a) FROM (SELECT 7 AS a) s)"
                                        + " FROM t GROUP BY ROLLUP (a) ORDER BY 1"))
                .contains("|7");
    }

    @Test
    void aCommentMayEndADelete() {
        run(session, "CREATE TABLE t (id int PRIMARY KEY)");
        run(session, "CREATE TABLE u (id int PRIMARY KEY)");
        run(session, "INSERT INTO t VALUES (1), (2)");
        run(session, "INSERT INTO u VALUES (1)");
        assertThat(run(session, "DELETE FROM t USING u WHERE t.id = u.id; -- done")).isEqualTo("1");
        run(session, "INSERT INTO t VALUES (1)");
        assertThat(run(session, "DELETE FROM t USING u -- the others\n RETURNING t.id"))
                .isEqualTo("1 2");
        assertThat(run(session, "INSERT INTO t VALUES (3) RETURNING id -- its key")).isEqualTo("3");
    }

    @Test
    void textsThatAreNoTimesAreRefused() {
        run(session, "CREATE TABLE t (d date, ts timestamp, h time)");
        for (String text :
                List.of("2024-13-45", "Jan 99999999999 2024", "99:99:99999999999", "Feb 30 2024")) {
            for (String column : List.of("d", "ts", "h")) {
                String insert = "INSERT INTO t (" + column + ") VALUES ($1)";
                assertThat(failure(session, insert, text)).as(insert + text).startsWith("2200");
            }
        }
    }

    @Test
    void separatorsOfFieldsMayBeEmptyOrMissing() {
        assertThat(run(session, "SELECT * FROM string_to_table('abc', '') AS f")).isEqualTo("abc");
        assertThat(run(session, "SELECT * FROM string_to_table('abc', NULL) AS f"))
                .isEqualTo("a b c");
    }

    @Test
    void seriesOfTimesFollowTheTimeZone() {
        run(session, "SET TIME ZONE 'Europe/Berlin'");
        assertThat(
                        run(
                                session,
                                "SELECT CAST(g AS timestamp) FROM generate_series(timestamptz"
                                    + " '2024-03-30 12:00:00', timestamptz '2024-04-01 12:00:00',"
                                    + " interval '1 day') AS g"))
                .isEqualTo("2024-03-30T12:00 2024-03-31T12:00 2024-04-01T12:00");
    }

    @Test
    void whatIsNotSupportedSaysSo() {
        run(session, "CREATE TABLE full_time (id INT)");
        assertThat(failure(session, "SELECT 1 FROM full_time, LATERAL (SELECT id) s"))
                .isEqualTo("0A000");
        assertThat(failure(session, "SELECT 1 FROM full_time a FULL JOIN full_time b USING (id)"))
                .isEqualTo("0A000");
        assertThat(run(session, "SELECT count(*) FROM full_time")).isEqualTo("0");
    }
}
