package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Operators and functions of JSON. */
final class JsonTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @BeforeEach
    void define() {
        run(session, "CREATE TABLE t (id int PRIMARY KEY, doc jsonb)");
        run(
                session,
                """
                INSERT INTO t VALUES (1, '{"a": {"b": [1, "x", null]}, "n": 7}'::jsonb),
                (2, '{"n": 8, "tags": ["red", "blue"]}'::jsonb), (3, NULL)
                """);
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    @Test
    void membersAreFound() {
        assertThat(run(session, "SELECT doc -> 'a' -> 'b' FROM t WHERE id = 1"))
                .isEqualTo("[1,\"x\",null]");
        assertThat(run(session, "SELECT doc->'a'->'b'->>1, doc->'a'->'b'->-1 FROM t WHERE id = 1"))
                .isEqualTo("x|null");
        assertThat(run(session, "SELECT doc #>> '{a,b,1}', doc #> '{a,b}' FROM t WHERE id = 1"))
                .isEqualTo("x|[1,\"x\",null]");
        assertThat(run(session, "SELECT id FROM t WHERE (doc->>'n')::int > 7")).isEqualTo("2");
        assertThat(run(session, "SELECT t.doc->>'none', doc->>$1 FROM t WHERE id = 2", "n"))
                .isEqualTo("null|8");
        assertThat(run(session, "SELECT doc->>'n' FROM t ORDER BY doc->>'n' DESC NULLS LAST"))
                .isEqualTo("8 7 null");
    }

    @Test
    void containmentAndKeysAreTested() {
        assertThat(run(session, "SELECT id FROM t WHERE doc @> '{\"tags\": [\"blue\"]}'"))
                .isEqualTo("2");
        assertThat(run(session, "SELECT id FROM t WHERE doc @> $1", "{\"n\": 7.0}")).isEqualTo("1");
        assertThat(run(session, "SELECT id FROM t WHERE '{\"n\": 7}' <@ doc")).isEqualTo("1");
        assertThat(run(session, "SELECT id FROM t WHERE doc ? 'tags'")).isEqualTo("2");
        assertThat(run(session, "SELECT id FROM t WHERE doc ?| ARRAY['a', 'x']")).isEqualTo("1");
        assertThat(run(session, "SELECT id FROM t WHERE doc ?& '{n,tags}'")).isEqualTo("2");
        assertThat(run(session, "SELECT ARRAY[1,2,3] @> ARRAY[2], ARRAY[1] && ARRAY[2]"))
                .isEqualTo("true|false");
    }

    @Test
    void documentsAreBuiltAndChanged() {
        assertThat(run(session, "SELECT jsonb_build_object('a', 1, 'b', ARRAY['x'], 'c', NULL)"))
                .isEqualTo("{\"a\":1,\"b\":[\"x\"],\"c\":null}");
        run(session, "UPDATE t SET doc = jsonb_set(doc, '{n}', '\"nine\"') WHERE id = 1");
        assertThat(run(session, "SELECT doc->>'n', jsonb_typeof(doc->'a') FROM t WHERE id = 1"))
                .isEqualTo("nine|object");
        run(session, "UPDATE t SET doc = doc #- '{tags,0}' WHERE id = 2");
        assertThat(run(session, "SELECT doc FROM t WHERE id = 2"))
                .isEqualTo("{\"n\":8,\"tags\":[\"blue\"]}");
        assertThat(run(session, "SELECT to_jsonb('x'::text), to_json(2)")).isEqualTo("\"x\"|2");
        assertThat(run(session, "SELECT jsonb_array_length('[1,2]'), jsonb_build_array(1, true)"))
                .isEqualTo("2|[1,true]");
        assertThat(run(session, "SELECT jsonb_extract_path_text(doc, 'tags', '0') FROM t"))
                .isEqualTo("null blue null");
        assertThat(run(session, "SELECT jsonb_agg(id ORDER BY id) FROM t")).isEqualTo("[1,2,3]");
        assertThat(run(session, "SELECT json_object_agg(id::text, doc->'n') FROM t WHERE id = 2"))
                .isEqualTo("{\"2\":8}");
    }

    @Test
    void resultsAreOfTheTypeJson() {
        SqlStatement statement =
                session.prepare("SELECT doc->'n' AS n, doc->>'n', doc->'n' FROM t", List.of());
        assertThat(statement.columns().stream().map(c -> c.name() + " " + c.type().type()).toList())
                .containsExactly("n JSON", "?column? TEXT", "?column? JSON");
    }

    @Test
    void viewsKeepOperators() {
        run(session, "CREATE VIEW v AS SELECT id, doc->>'n' AS n FROM t WHERE doc ? 'n'");
        assertThat(run(session, "SELECT * FROM v ORDER BY id")).isEqualTo("1|7 2|8");
        run(session, "CREATE TABLE other (id int)");
        assertThat(run(session, "SELECT count(*) FROM v")).isEqualTo("2");
    }

    @Test
    void operatorsInsideOfTextsAreTexts() {
        assertThat(
                        run(
                                session,
                                "SELECT 'a -> b' || ' @> ' || \"n?\" FROM (SELECT 'c' AS \"n?\")"
                                        + " x"))
                .isEqualTo("a -> b @> c");
        assertThat(run(session, "SELECT 3 - 2 > 0")).isEqualTo("true");
    }

    @Test
    void invalidJsonIsRefused() {
        assertThat(failure(session, "SELECT '{' -> 'a'")).isEqualTo("22P02");
        assertThat(failure(session, "SELECT jsonb_build_object('a')")).isEqualTo("22023");
        assertThat(failure(session, "SELECT doc -> FROM t")).isEqualTo("42601");
        assertThat(failure(session, "SELECT jsonb_array_length('{}')")).isEqualTo("22023");
    }

    @Test
    void functionsOfTextsAndArraysAreKnown() {
        assertThat(run(session, "SELECT split_part('a,b,c', ',', 2), initcap('hello wORLD')"))
                .isEqualTo("b|Hello World");
        assertThat(run(session, "SELECT md5('a'), strpos('abc', 'c'), reverse('abc')"))
                .isEqualTo("0cc175b9c0f1b6a831c399e269772661|3|cba");
        assertThat(run(session, "SELECT array_to_string(ARRAY[1, NULL, 3], '-', '*')"))
                .isEqualTo("1-*-3");
        assertThat(run(session, "SELECT string_to_array('a b', ' '), array_length(ARRAY[1,2], 1)"))
                .isEqualTo("[a, b]|2");
        assertThat(run(session, "SELECT num_nulls(1, NULL), div(7, 2), factorial(5)"))
                .isEqualTo("1|3|120");
        assertThat(failure(session, "SELECT split_part('a', ',', 0)")).isEqualTo("22023");
    }
}
