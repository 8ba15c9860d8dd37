package petrichor.entities.query;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.entities.query.QueryBench.aggregation;
import static petrichor.entities.query.QueryBench.integer;

import com.google.datastore.v1.ExplainOptions;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.protobuf.NullValue;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Aggregations through the facade, on a store in memory. */
class AggregationsTest {
    private final QueryBench bench = new QueryBench();

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void figuresCountSumAndAverageIndexedNumbers() throws Exception {
        bench.numbers();
        RunAggregationQueryResponse response =
                bench.aggregate("SELECT COUNT(*), SUM(n) AS s, AVG(n), COUNT_UP_TO(3) AS c FROM A");
        var aggregates = response.getBatch().getAggregationResults(0);
        assertThat(aggregates.getAggregatePropertiesOrThrow("property_1")).isEqualTo(integer(20));
        assertThat(aggregates.getAggregatePropertiesOrThrow("s")).isEqualTo(integer(190));
        assertThat(aggregates.getAggregatePropertiesOrThrow("property_2").getDoubleValue())
                .isEqualTo(9.5);
        assertThat(aggregates.getAggregatePropertiesOrThrow("c")).isEqualTo(integer(3));
    }

    @Test
    void sumsAreReadFromAnIndexIfOneExists() throws Exception {
        bench.numbers();
        bench.put("key { path { kind: 'A' id: 99 } }");
        for (String query :
                List.of(
                        "SELECT SUM(n) AS s FROM A",
                        "SELECT COUNT(*), SUM(n) AS s, AVG(half) FROM A",
                        "SELECT SUM(n) AS s FROM A WHERE n >= 0",
                        "AGGREGATE SUM(n) AS s OVER (SELECT * FROM A ORDER BY n DESC LIMIT 100)")) {
            RunAggregationQueryResponse response =
                    bench.datastore.runAggregationQuery(
                            aggregation(query).toBuilder()
                                    .setExplainOptions(ExplainOptions.newBuilder().setAnalyze(true))
                                    .build());
            assertThat(
                            response.getBatch()
                                    .getAggregationResults(0)
                                    .getAggregatePropertiesOrThrow("s"))
                    .as(query)
                    .isEqualTo(integer(190));
            assertThat(
                            response.getExplainMetrics()
                                    .getExecutionStats()
                                    .getDebugStats()
                                    .getFieldsOrThrow("documents_scanned")
                                    .getStringValue())
                    .as(query)
                    .isEqualTo("0");
        }
    }

    @Test
    void theAverageOfNoValuesIsNullAndTheirSumZero() throws Exception {
        var aggregates =
                bench.aggregate("SELECT SUM(n) AS s, AVG(n) AS a FROM A")
                        .getBatch()
                        .getAggregationResults(0);
        assertThat(aggregates.getAggregatePropertiesOrThrow("s")).isEqualTo(integer(0));
        assertThat(aggregates.getAggregatePropertiesOrThrow("a").getNullValue())
                .isEqualTo(NullValue.NULL_VALUE);
        assertThat(aggregates.getAggregatePropertiesOrThrow("a").hasNullValue()).isTrue();
    }

    @Test
    void aSumBeyond64BitsBecomesADouble() throws Exception {
        for (int i = 1; i <= 2; i++) {
            bench.put(
                    "key { path { kind: 'A' id: "
                            + i
                            + " } } properties { key: 'n' value { integer_value: "
                            + Long.MAX_VALUE
                            + " } }");
        }
        var aggregates =
                bench.aggregate("SELECT SUM(n) AS s FROM A").getBatch().getAggregationResults(0);
        assertThat(aggregates.getAggregatePropertiesOrThrow("s").getDoubleValue())
                .isEqualTo(2.0 * Long.MAX_VALUE);
    }
}
