package petrichor.entities.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.ExplainOptions;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.Value;
import com.google.protobuf.Struct;
import com.google.protobuf.TextFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.entities.ReadContexts.Concurrency;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Which results sums and averages include, and the cost of their plans. */
class AggregationPlansTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final Datastore datastore = open(Queries.MissingIndexes.CREATE);

    private Datastore open(Queries.MissingIndexes missing) {
        return new Datastore(
                new EntityDatabases(rows), Concurrency.OPTIMISTIC, missing, TimeSource.SYSTEM);
    }

    @BeforeEach
    void entities() throws Exception {
        // The smaller n, the larger the key; the last one has no n.
        for (int i = 1; i <= 8; i++) {
            put(
                    "key { path { kind: 'R' id: 1 } path { kind: 'A' id: "
                            + i
                            + " } }"
                            + number("n", 80 - i * 10)
                            + number("m", i));
        }
        put("key { path { kind: 'R' id: 1 } path { kind: 'A' id: 9 } }" + number("m", 9));
    }

    @AfterEach
    void close() {
        rows.close();
        store.close();
    }

    @Test
    void withALimitAndNoOrderTheFirstByThePropertyAreTaken() {
        assertThat(aggregates("AGGREGATE SUM(n) AS s, AVG(n) AS a OVER (SELECT * FROM A LIMIT 3)"))
                .containsEntry("s", integer(0 + 10 + 20))
                .containsEntry("a", Value.newBuilder().setDoubleValue(10).build());
        assertThat(aggregates("AGGREGATE SUM(n) AS s OVER (SELECT * FROM A LIMIT 2 OFFSET 1)"))
                .containsEntry("s", integer(10 + 20));
        assertThat(aggregates("AGGREGATE SUM(n) AS s OVER (SELECT * FROM A ORDER BY m LIMIT 2)"))
                .containsEntry("s", integer(70 + 60));
        assertThat(
                        aggregates(
                                "AGGREGATE SUM(n) AS s OVER (SELECT * FROM A ORDER BY __key__ LIMIT"
                                        + " 2)"))
                .containsEntry("s", integer(70 + 60));
    }

    @Test
    void keysAreNotSummedAndTheErrorIsGoogles() {
        for (String aggregate : List.of("SUM", "AVG")) {
            assertThatThrownBy(() -> aggregates("SELECT " + aggregate + "(__key__) AS k FROM A"))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            refused ->
                                    assertThat(refused.code())
                                            .isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessage("Aggregations are not supported for the property: __key__");
        }
    }

    @Test
    void tooManyAggregationsAreRefusedInGooglesWords() {
        assertThatThrownBy(
                        () ->
                                aggregates(
                                        "SELECT COUNT(*) AS a, COUNT(*) AS b, COUNT(*) AS c,"
                                                + " COUNT(*) AS d, COUNT(*) AS e, COUNT(*) AS f"
                                                + " FROM A"))
                .hasMessage(
                        "The maximum number of aggregations allowed in an aggregation query is 5."
                                + " Received: 6");
    }

    @Test
    void allAggregationsOfAQueryCoverTheSameResults() {
        assertThat(aggregates("SELECT COUNT(*) AS c, SUM(n) AS s, AVG(m) AS a FROM A"))
                .containsEntry("c", integer(8))
                .containsEntry("s", integer(280))
                .containsEntry("a", Value.newBuilder().setDoubleValue(4.5).build());
        assertThat(aggregates("SELECT COUNT(*) AS c FROM A")).containsEntry("c", integer(9));
    }

    @Test
    void oneScanOfAnIndexServesAllAggregationsUnderAnAncestor() {
        RunAggregationQueryResponse response =
                datastore.runAggregationQuery(
                        gql("SELECT COUNT(*), SUM(n), AVG(n) FROM A WHERE __key__ HAS ANCESTOR"
                                        + " KEY(R, 1)")
                                .setExplainOptions(ExplainOptions.newBuilder().setAnalyze(true))
                                .build());
        var metrics = response.getExplainMetrics();
        assertThat(metrics.getPlanSummary().getIndexesUsedList())
                .containsExactly(
                        struct(
                                Map.of(
                                        "query_scope", "Includes ancestors",
                                        "properties", "(n ASC, __name__ ASC)")));
        var stats = metrics.getExecutionStats();
        assertThat(stats.getReadOperations()).isEqualTo(1);
        assertThat(stats.getResultsReturned()).isEqualTo(1);
        assertThat(stats.getDebugStats())
                .isEqualTo(
                        struct(Map.of("documents_scanned", "0", "index_entries_scanned", "8"))
                                .toBuilder()
                                .putFields(
                                        "billing_details",
                                        nested(
                                                Map.of(
                                                        "min_query_cost", "0",
                                                        "small_ops", "0",
                                                        "index_entries_billable", "8",
                                                        "documents_billable", "0")))
                                .build());
    }

    @Test
    void withoutTheIndexEntitiesAreReadUnlessTheOrderMatters() {
        Datastore strict = open(Queries.MissingIndexes.REFUSE);
        String ancestor = "SELECT * FROM A WHERE __key__ HAS ANCESTOR KEY(R, 1)";
        assertThat(
                        aggregates(
                                strict,
                                "AGGREGATE COUNT(*) AS c, SUM(n) AS s OVER (" + ancestor + ")"))
                .containsEntry("c", integer(8))
                .containsEntry("s", integer(280));
        assertThatThrownBy(
                        () ->
                                aggregates(
                                        strict,
                                        "AGGREGATE SUM(n) AS s OVER (" + ancestor + " LIMIT 2)"))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                .hasMessage(
                        """
                        no matching index found. recommended index is:
                        - kind: A
                          ancestor: yes
                          properties:
                          - name: "n"
                        """);
    }

    private Map<String, Value> aggregates(String gql) {
        return aggregates(datastore, gql);
    }

    private static Map<String, Value> aggregates(Datastore datastore, String gql) {
        return datastore
                .runAggregationQuery(gql(gql).build())
                .getBatch()
                .getAggregationResults(0)
                .getAggregatePropertiesMap();
    }

    private static RunAggregationQueryRequest.Builder gql(String text) {
        return RunAggregationQueryRequest.newBuilder()
                .setProjectId("demo")
                .setGqlQuery(GqlQuery.newBuilder().setQueryString(text).setAllowLiterals(true));
    }

    private void put(String entity) throws TextFormat.ParseException {
        Entity.Builder parsed = TextFormat.parse(entity, Entity.class).toBuilder();
        parsed.getKeyBuilder().getPartitionIdBuilder().setProjectId("demo");
        datastore
                .commit(
                        CommitRequest.newBuilder()
                                .setProjectId("demo")
                                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                .addMutations(Mutation.newBuilder().setUpsert(parsed))
                                .build())
                .join();
    }

    private static String number(String name, int value) {
        return "properties { key: '" + name + "' value { integer_value: " + value + " } }";
    }

    private static Value integer(long value) {
        return Value.newBuilder().setIntegerValue(value).build();
    }

    private static com.google.protobuf.Value nested(Map<String, String> fields) {
        return com.google.protobuf.Value.newBuilder().setStructValue(struct(fields)).build();
    }

    private static Struct struct(Map<String, String> fields) {
        Struct.Builder struct = Struct.newBuilder();
        fields.forEach(
                (name, text) ->
                        struct.putFields(
                                name,
                                com.google.protobuf.Value.newBuilder()
                                        .setStringValue(text)
                                        .build()));
        return struct.build();
    }
}
