package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.tables.DataType;
import petrichor.transactions.databases.RowDatabases;

/** Plans as text and JSON, with what was read. */
final class ExplainTest {
    private final KeyValueStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @BeforeEach
    void tables() {
        Sessions.run(session, "CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT)");
        Sessions.run(
                session, "CREATE TABLE city (id INT PRIMARY KEY, country TEXT, people BIGINT)");
        Sessions.run(session, "CREATE INDEX city_country ON city (country)");
        Sessions.run(session, "INSERT INTO country VALUES ('PT', 'Portugal'), ('DE', 'Germany')");
        Sessions.run(
                session,
                "INSERT INTO city SELECT x, CASE WHEN x < 4 THEN 'PT' ELSE 'DE' END, x * 100 FROM"
                        + " system_range(1, 10) AS r(x)");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    private List<String> plan(String text, @Nullable Object... parameters) {
        StatementResult.Rows result = (StatementResult.Rows) session.execute(text, parameters);
        assertThat(result.columns().getFirst().name()).isEqualTo("QUERY PLAN");
        List<String> lines = new ArrayList<>();
        try (RowIterator read = result.rows()) {
            while (read.next()) {
                lines.add(String.valueOf(read.value(0)));
            }
        }
        return lines;
    }

    @Test
    void aPlanNamesIndexesAndConditions() {
        List<String> lines =
                plan("EXPLAIN SELECT id FROM city WHERE country = 'PT' AND people > 100 LIMIT 2");
        assertThat(lines.getFirst()).startsWith("Limit  (cost=");
        assertThat(lines.get(1)).startsWith("  ->  Index Scan using city_country on city  (cost=");
        assertThat(lines)
                .anySatisfy(line -> assertThat(line).contains("Index Cond: (country = 'PT')"))
                .anySatisfy(
                        line ->
                                assertThat(line)
                                        .contains("Filter:")
                                        .contains("AND (people > CAST(100"))
                .noneSatisfy(line -> assertThat(line).contains("actual"));
    }

    @Test
    void anAnalyzedPlanCountsRowsKeysAndRoundTrips() {
        String text =
                String.join(
                        "\n",
                        plan(
                                "EXPLAIN ANALYZE SELECT c.id, k.name FROM city c JOIN country k ON"
                                        + " k.code = c.country WHERE c.country = $1 ORDER BY"
                                        + " c.people",
                                "PT"));
        assertThat(text)
                .contains("Sort  (cost=")
                .contains("Nested Loop  (cost=")
                .contains("Index Scan using city_country on city c")
                .containsPattern("rows=3\\.000 loops=1\\)")
                .contains("Key Ranges: ['PT']")
                .containsPattern("Keys Read: 6\n")
                .containsPattern("Round Trips: \\d+\n")
                .containsPattern("Execution Time: [0-9.]+ ms");
    }

    @Test
    void jsonHasThePropertiesThatToolsRead() {
        StatementResult.Rows result =
                (StatementResult.Rows)
                        session.execute(
                                "EXPLAIN (ANALYZE, FORMAT JSON, BUFFERS off) SELECT country,"
                                        + " count(*) FROM city GROUP BY country");
        assertThat(result.columns().getFirst().type().type()).isEqualTo(DataType.JSON);
        String json = plan("EXPLAIN (FORMAT JSON) SELECT \"id\" FROM city WHERE id = 1").getFirst();
        assertThat(json)
                .startsWith("[{\"Plan\": {\"Node Type\": \"Index Scan\"")
                .contains("\"Relation Name\": \"city\"")
                .contains("\"Index Cond\": \"(id = 1)\"")
                .contains("\"Plan Rows\": 1,")
                .endsWith("}]");
        result.rows().close();
    }

    @Test
    void describesItsParametersAndColumn() {
        SqlStatement prepared =
                session.prepare("EXPLAIN SELECT id FROM city WHERE people > $1", List.of());
        assertThat(prepared.parameterTypes()).hasSize(1);
        assertThat(prepared.columns().getFirst().name()).isEqualTo("QUERY PLAN");
    }

    @Test
    void unionsSubqueriesAndConstantsHavePlans() {
        assertThat(plan("EXPLAIN SELECT id FROM city UNION ALL SELECT 1").getFirst())
                .startsWith("Append");
        assertThat(plan("EXPLAIN ANALYZE SELECT s.id FROM (SELECT id FROM city) AS s").getFirst())
                .contains(" on ");
        assertThat(plan("EXPLAIN SELECT 1").getFirst()).startsWith("Result");
    }

    @Test
    void otherStatementsAndOptionsAreRefused() {
        assertThat(failure(session, "EXPLAIN DELETE FROM city")).isEqualTo("0A000");
        assertThat(failure(session, "EXPLAIN (FORMAT XML) SELECT 1")).isEqualTo("0A000");
        assertThat(failure(session, "EXPLAIN (FAST) SELECT 1")).isEqualTo("42601");
        assertThat(failure(session, "EXPLAIN")).isEqualTo("42601");
        assertThat(failure(session, "EXPLAIN SELECT x FROM missing")).isEqualTo("42P01");
    }
}
