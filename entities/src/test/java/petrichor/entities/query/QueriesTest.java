package petrichor.entities.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.ExecutionStats;
import com.google.datastore.v1.ExplainMetrics;
import com.google.datastore.v1.ExplainOptions;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PropertyMask;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.TransactionOptions;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.NullValue;
import com.google.protobuf.TextFormat;
import com.google.protobuf.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.entities.EntityHit;
import petrichor.entities.QueryResult;
import petrichor.entities.ReadContexts.Concurrency;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Queries through the facade, on a store in memory. */
class QueriesTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final Datastore datastore = open(Queries.MissingIndexes.CREATE);

    private Datastore open(Queries.MissingIndexes missing) {
        return new Datastore(
                new EntityDatabases(rows), Concurrency.OPTIMISTIC, missing, TimeSource.SYSTEM);
    }

    @AfterEach
    void close() {
        rows.close();
        store.close();
    }

    @Test
    void kindsNamespacesAndPropertiesAreQueryable() throws Exception {
        put("key { path { kind: 'A' id: 1 } } properties { key: 'n' value { integer_value: 1 } }");
        put("key { path { kind: 'A' id: 2 } } properties { key: 'n' value { string_value: 's' } }");
        put("key { path { kind: 'B' id: 1 } } properties { key: 'm' value { integer_value: 1 } }");
        put("key { partition_id { namespace_id: 'x' } path { kind: 'C' id: 1 } }");

        assertThat(names("SELECT __key__ FROM __kind__")).containsExactly("A", "B");
        assertThat(names("SELECT __key__ FROM __kind__ WHERE __key__ > KEY(__kind__, 'A')"))
                .containsExactly("B");
        assertThat(names("SELECT * FROM __namespace__")).containsExactly("", "x");
        assertThat(names("SELECT __key__ FROM __property__")).containsExactly("n", "m");
        List<Entity> properties =
                entities(
                        gql(
                                "SELECT * FROM __property__ WHERE __key__ HAS ANCESTOR"
                                        + " KEY(__kind__, 'A')"));
        assertThat(properties).hasSize(1);
        assertThat(
                        properties
                                .getFirst()
                                .getPropertiesOrThrow("property_representation")
                                .getArrayValue()
                                .getValuesList())
                .extracting(Value::getStringValue)
                .containsExactly("INT64", "STRING");
    }

    @Test
    void figuresCountSumAndAverageIndexedNumbers() throws Exception {
        numbers();
        RunAggregationQueryResponse response =
                aggregate("SELECT COUNT(*), SUM(n) AS s, AVG(n), COUNT_UP_TO(3) AS c FROM A");
        var aggregates = response.getBatch().getAggregationResults(0);
        assertThat(aggregates.getAggregatePropertiesOrThrow("property_1")).isEqualTo(integer(20));
        assertThat(aggregates.getAggregatePropertiesOrThrow("s")).isEqualTo(integer(190));
        assertThat(aggregates.getAggregatePropertiesOrThrow("property_2").getDoubleValue())
                .isEqualTo(9.5);
        assertThat(aggregates.getAggregatePropertiesOrThrow("c")).isEqualTo(integer(3));
    }

    @Test
    void sumsAreReadFromAnIndexIfOneExists() throws Exception {
        numbers();
        put("key { path { kind: 'A' id: 99 } }");
        for (String query :
                List.of(
                        "SELECT SUM(n) AS s FROM A",
                        "SELECT COUNT(*), SUM(n) AS s, AVG(half) FROM A",
                        "SELECT SUM(n) AS s FROM A WHERE n >= 0",
                        "AGGREGATE SUM(n) AS s OVER (SELECT * FROM A ORDER BY n DESC LIMIT 100)")) {
            RunAggregationQueryResponse response =
                    datastore.runAggregationQuery(
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
    void anAverageOfNothingIsNullAndASumZero() throws Exception {
        var aggregates =
                aggregate("SELECT SUM(n) AS s, AVG(n) AS a FROM A")
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
            put(
                    "key { path { kind: 'A' id: "
                            + i
                            + " } } properties { key: 'n' value { integer_value: "
                            + Long.MAX_VALUE
                            + " } }");
        }
        var aggregates = aggregate("SELECT SUM(n) AS s FROM A").getBatch().getAggregationResults(0);
        assertThat(aggregates.getAggregatePropertiesOrThrow("s").getDoubleValue())
                .isEqualTo(2.0 * Long.MAX_VALUE);
    }

    @Test
    void aPropertyQueryReadsOneIndexRowPerResultAndNoMore() throws Exception {
        numbers();
        QueryResult result = explained("SELECT * FROM A WHERE n >= 5 ORDER BY n LIMIT 3");
        assertThat(result.hits()).hasSize(3);
        assertThat(stat(result, "index_entries_scanned")).isBetween(3, 4);
        assertThat(stat(result, "documents_scanned")).isEqualTo(3);
        assertThat(result.batch().getMoreResults())
                .isEqualTo(MoreResultsType.MORE_RESULTS_AFTER_LIMIT);
    }

    @Test
    void equalitiesWithoutACompositeIndexJoinIndexesAndSkipWhatDoesNotMatch() throws Exception {
        StringBuilder request = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            request.setLength(0);
            request.append("key { path { kind: 'A' id: ").append(i + 1).append(" } }");
            request.append("properties { key: 'all' value { integer_value: 1 } }");
            request.append("properties { key: 'rare' value { integer_value: ");
            request.append(i % 100).append(" } }");
            put(request.toString());
        }
        QueryResult result = explained("SELECT __key__ FROM A WHERE all = 1 AND rare = 7");
        assertThat(result.hits()).hasSize(5);
        // Five rows of the rare index, and for each a jump with a few steps in the other one.
        assertThat(stat(result, "index_entries_scanned")).isLessThan(80);
        assertThat(stat(result, "documents_scanned")).isZero();
        assertThat(explain(result).getPlanSummary().getIndexesUsedList())
                .extracting(index -> index.getFieldsOrThrow("properties").getStringValue())
                .containsExactlyInAnyOrder("(all ASC, __name__ ASC)", "(rare ASC, __name__ ASC)");
    }

    @Test
    void aMissingIndexIsCreatedOrReportedAsIndexYaml() throws Exception {
        numbers();
        String query = "SELECT * FROM A WHERE half = 1 ORDER BY n DESC";
        assertThatThrownBy(() -> open(Queries.MissingIndexes.REFUSE).runQuery(gql(query)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION);
                            assertThat(e)
                                    .hasMessage(
                                            """
                                            no matching index found. recommended index is:
                                            - kind: A
                                              properties:
                                              - name: half
                                              - name: "n"
                                                direction: desc
                                            """);
                        });
        assertThat(entities(gql(query)))
                .extracting(e -> e.getPropertiesOrThrow("n").getIntegerValue())
                .containsExactly(3L, 2L);
    }

    @Test
    void aQueryOfThePastWithoutItsIndexIsRefusedWithTheDeclaration() throws Exception {
        numbers();
        RunQueryRequest query = gql("SELECT * FROM A WHERE half = 1 ORDER BY n DESC");
        Timestamp past = datastore.runQuery(gql("SELECT * FROM A")).batch().getReadTime();
        TransactionOptions readOnly =
                TransactionOptions.newBuilder()
                        .setReadOnly(TransactionOptions.ReadOnly.newBuilder().setReadTime(past))
                        .build();
        ByteString transaction =
                datastore
                        .beginTransaction(
                                BeginTransactionRequest.newBuilder()
                                        .setProjectId("demo")
                                        .setTransactionOptions(readOnly)
                                        .build())
                        .getTransaction();
        List<ReadOptions> readings =
                List.of(
                        ReadOptions.newBuilder().setReadTime(past).build(),
                        ReadOptions.newBuilder().setTransaction(transaction).build(),
                        ReadOptions.newBuilder().setNewTransaction(readOnly).build());
        for (int attempt = 0; attempt < 2; attempt++) {
            for (ReadOptions reading : readings) {
                assertThatThrownBy(
                                () ->
                                        datastore.runQuery(
                                                query.toBuilder().setReadOptions(reading).build()))
                        .isInstanceOfSatisfying(
                                PetrichorException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                        .hasMessageContaining("read_time")
                        .hasMessageContaining("- kind: A\n  properties:\n  - name: half\n");
            }
            // An index created later did not exist then.
            assertThat(entities(query)).hasSize(2);
        }
    }

    @Test
    void aTransactionThatLacksAnIndexHasItOnRetry() throws Exception {
        numbers();
        RunQueryRequest query = gql("SELECT * FROM A WHERE half = 1 ORDER BY n DESC");
        for (TransactionOptions options :
                List.of(
                        TransactionOptions.getDefaultInstance(),
                        TransactionOptions.newBuilder()
                                .setReadOnly(TransactionOptions.ReadOnly.getDefaultInstance())
                                .build())) {
            datastore
                    .databases()
                    .open("demo", "")
                    .indexes()
                    .newest()
                    .all()
                    .forEach(
                            index ->
                                    datastore
                                            .databases()
                                            .open("demo", "")
                                            .indexes()
                                            .remove(index.definition()));
            assertThatThrownBy(() -> inTransaction(query, options))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));
            assertThat(inTransaction(query, options).hits()).hasSize(2);
        }
    }

    private QueryResult inTransaction(RunQueryRequest query, TransactionOptions options) {
        ByteString transaction =
                datastore
                        .beginTransaction(
                                BeginTransactionRequest.newBuilder()
                                        .setProjectId("demo")
                                        .setTransactionOptions(options)
                                        .build())
                        .getTransaction();
        return datastore.runQuery(
                query.toBuilder()
                        .setReadOptions(ReadOptions.newBuilder().setTransaction(transaction))
                        .build());
    }

    @Test
    void distinctResultsJumpFromGroupToGroup() throws Exception {
        CommitRequest.Builder commit =
                CommitRequest.newBuilder()
                        .setProjectId("demo")
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (int i = 0; i < 400; i++) {
            commit.addMutations(
                    commit(
                                    "key { path { kind: 'A' id: "
                                            + (i + 1)
                                            + " } } properties { key: 'g' value { integer_value: "
                                            + i % 4
                                            + " } } properties { key: 'n' value { integer_value: "
                                            + i
                                            + " } }")
                            .getMutations(0));
        }
        datastore.commit(commit.build()).join();
        for (String query :
                List.of(
                        "SELECT DISTINCT g FROM A",
                        "SELECT DISTINCT g FROM A ORDER BY g DESC",
                        "SELECT DISTINCT ON (g) * FROM A ORDER BY g, n DESC",
                        "SELECT DISTINCT ON (g) * FROM A ORDER BY g, n DESC, __key__ DESC")) {
            QueryResult result = explained(query);
            assertThat(result.hits()).as(query).hasSize(4);
            assertThat(stat(result, "index_entries_scanned")).as(query).isLessThan(4 * 12);
        }
        assertThat(entities(gql("SELECT DISTINCT ON (g) * FROM A ORDER BY g, n DESC")))
                .extracting(e -> e.getPropertiesOrThrow("n").getIntegerValue())
                .containsExactly(396L, 397L, 398L, 399L);
    }

    @Test
    void representationsOfPropertiesCanBeProjected() throws Exception {
        put("key { path { kind: 'A' id: 1 } } properties { key: 'n' value { integer_value: 1 } }");
        put("key { path { kind: 'A' id: 2 } } properties { key: 'n' value { string_value: 's' } }");
        assertThat(entities(gql("SELECT property_representation FROM __property__")))
                .extracting(e -> e.getPropertiesOrThrow("property_representation").getStringValue())
                .containsExactly("INT64", "STRING");
    }

    @Test
    void metadataIsOrderedByKeyAlone() throws Exception {
        put("key { path { kind: 'A' id: 1 } } properties { key: 'n' value { integer_value: 1 } }");
        put("key { path { kind: 'B' id: 1 } } properties { key: 'm' value { integer_value: 1 } }");
        assertThat(names("SELECT __key__ FROM __property__ ORDER BY __key__ DESC"))
                .containsExactly("m", "n");
        assertThat(names("SELECT property_representation FROM __property__ ORDER BY __key__ DESC"))
                .containsExactly("m", "n");
        assertThatThrownBy(
                        () -> names("SELECT * FROM __property__ ORDER BY property_representation"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("only be ordered by __key__");
    }

    @Test
    void anArrayMatchesAnEqualityWithOneElementAndARangeWithAnother() throws Exception {
        String array =
                "array_value { values { integer_value: 1 } values { integer_value: 7 } values {"
                        + " integer_value: 20 } }";
        put("key { path { kind: 'A' id: 1 } } properties { key: 'n' value { " + array + " } }");
        put("key { path { kind: 'A' id: 2 } } properties { key: 'n' value { integer_value: 1 } }");
        assertThat(entities(gql("SELECT * FROM A WHERE n = 1 AND n > 5"))).hasSize(1);
        assertThat(entities(gql("SELECT * FROM A WHERE n = 1 AND n != 1"))).hasSize(1);
        assertThat(entities(gql("SELECT * FROM A WHERE n = 1 AND n < 5"))).hasSize(2);
        // One element must satisfy the range, not two.
        assertThat(entities(gql("SELECT * FROM A WHERE n = 1 AND n > 7 AND n < 20"))).isEmpty();
    }

    @Test
    void aPlanAloneReadsNothing() throws Exception {
        numbers();
        QueryResult result =
                datastore.runQuery(
                        gql("SELECT * FROM A WHERE n > 3").toBuilder()
                                .setExplainOptions(ExplainOptions.getDefaultInstance())
                                .build());
        assertThat(result.hits()).isEmpty();
        assertThat(explain(result).hasExecutionStats()).isFalse();
        assertThat(explain(result).getPlanSummary().getIndexesUsedCount()).isEqualTo(1);
    }

    @Test
    void projectionsExplodeArraysAndComeFromTheIndex() throws Exception {
        put(
                "key { path { kind: 'A' id: 1 } } properties { key: 't' value { array_value {"
                        + " values { string_value: 'y' } values { string_value: 'x' } } } }");
        QueryResult result = explained("SELECT t FROM A");
        assertThat(entities(result))
                .extracting(e -> e.getPropertiesOrThrow("t").getStringValue())
                .containsExactly("x", "y");
        assertThat(stat(result, "documents_scanned")).isZero();
    }

    @Test
    void aQueryInATransactionConflictsWithAWriteIntoItsRange() throws Exception {
        numbers();
        ByteString transaction =
                datastore
                        .beginTransaction(
                                BeginTransactionRequest.newBuilder().setProjectId("demo").build())
                        .getTransaction();
        datastore.runQuery(
                gql("SELECT * FROM A WHERE n = 5").toBuilder()
                        .setReadOptions(ReadOptions.newBuilder().setTransaction(transaction))
                        .build());
        put("key { path { kind: 'A' id: 99 } } properties { key: 'n' value { integer_value: 5 } }");
        CommitRequest commit =
                commit("key { path { kind: 'B' id: 1 } }").toBuilder()
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .setTransaction(transaction)
                        .build();
        assertThatThrownBy(() -> datastore.commit(commit).join())
                .rootCause()
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));
    }

    @Test
    void aMaskKeepsOnlyWhatItNames() throws Exception {
        numbers();
        QueryResult result =
                datastore.runQuery(
                        gql("SELECT * FROM A WHERE n = 5").toBuilder()
                                .setPropertyMask(PropertyMask.newBuilder().addPaths("half"))
                                .build());
        assertThat(entities(result).getFirst().getPropertiesMap()).containsOnlyKeys("half");
    }

    @Test
    void queriesThatDatastoreRefusesAreRefused() {
        for (String query :
                List.of(
                        "SELECT * WHERE a = 1",
                        "SELECT a FROM A WHERE a = 1",
                        "SELECT a, a FROM A",
                        "SELECT * FROM A WHERE a HAS ANCESTOR KEY(A, 1)",
                        "SELECT * FROM A WHERE __key__ = 5",
                        "SELECT * FROM A WHERE a != 1 AND b != 2",
                        "SELECT * FROM A WHERE a != 1 AND b NOT IN ARRAY(2)",
                        "SELECT * FROM A WHERE a IN ARRAY(1, 2) AND b NOT IN ARRAY(2)",
                        "SELECT * FROM A WHERE a NOT IN ARRAY(1) AND a NOT IN ARRAY(2)",
                        "SELECT * FROM A WHERE a NOT IN ARRAY(2) AND (b = 1 OR c = 1)",
                        "SELECT * FROM A WHERE a = 1 OR __key__ HAS ANCESTOR KEY(A, 1)",
                        "SELECT * FROM A WHERE a IN ARRAY()",
                        "SELECT * FROM A WHERE a NOT IN ARRAY(1,2,3,4,5,6,7,8,9,10,11)",
                        "SELECT * FROM A WHERE a = ARRAY(1)",
                        "SELECT * FROM A WHERE __key__ > KEY(NAMESPACE('x'), A, 1)",
                        "SELECT DISTINCT ON (a) a, b FROM A ORDER BY b, a")) {
            assertThatThrownBy(() -> datastore.runQuery(gql(query)))
                    .as(query)
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
    }

    @Test
    void aForeignOrDamagedCursorIsRefused() throws Exception {
        numbers();
        ByteString cursor = datastore.runQuery(gql("SELECT * FROM A")).batch().getEndCursor();
        for (ByteString wrong :
                List.of(
                        cursor,
                        ByteString.copyFromUtf8("nonsense"),
                        ByteString.copyFrom(new byte[] {1}))) {
            RunQueryRequest.Builder request =
                    gql("SELECT * FROM A ORDER BY n OFFSET @c").toBuilder();
            request.getGqlQueryBuilder()
                    .putNamedBindings(
                            "c",
                            com.google.datastore.v1.GqlQueryParameter.newBuilder()
                                    .setCursor(wrong)
                                    .build());
            assertThatThrownBy(() -> datastore.runQuery(request.build()))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
    }

    private void numbers() throws Exception {
        for (int i = 0; i < 20; i++) {
            put(
                    "key { path { kind: 'A' id: "
                            + (i + 1)
                            + " } } properties { key: 'n' value { integer_value: "
                            + i
                            + " } } properties { key: 'half' value { integer_value: "
                            + i / 2
                            + " } }");
        }
    }

    private static Value integer(long value) {
        return Value.newBuilder().setIntegerValue(value).build();
    }

    private static CommitRequest commit(String entity) throws TextFormat.ParseException {
        Entity.Builder parsed = TextFormat.parse(entity, Entity.class).toBuilder();
        parsed.getKeyBuilder().getPartitionIdBuilder().setProjectId("demo");
        return CommitRequest.newBuilder()
                .setProjectId("demo")
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(Mutation.newBuilder().setUpsert(parsed))
                .build();
    }

    private void put(String entity) throws TextFormat.ParseException {
        datastore.commit(commit(entity)).join();
    }

    private static RunQueryRequest gql(String text) {
        return RunQueryRequest.newBuilder()
                .setProjectId("demo")
                .setGqlQuery(GqlQuery.newBuilder().setQueryString(text).setAllowLiterals(true))
                .build();
    }

    private RunAggregationQueryResponse aggregate(String text) {
        return datastore.runAggregationQuery(aggregation(text));
    }

    private static RunAggregationQueryRequest aggregation(String text) {
        return RunAggregationQueryRequest.newBuilder()
                .setProjectId("demo")
                .setGqlQuery(GqlQuery.newBuilder().setQueryString(text).setAllowLiterals(true))
                .build();
    }

    private QueryResult explained(String text) {
        return datastore.runQuery(
                gql(text).toBuilder()
                        .setExplainOptions(ExplainOptions.newBuilder().setAnalyze(true))
                        .build());
    }

    private static ExplainMetrics explain(QueryResult result) {
        return Objects.requireNonNull(result.explain());
    }

    private static int stat(QueryResult result, String name) {
        ExecutionStats stats = explain(result).getExecutionStats();
        return Integer.parseInt(stats.getDebugStats().getFieldsOrThrow(name).getStringValue());
    }

    private List<Entity> entities(RunQueryRequest request) throws Exception {
        return entities(datastore.runQuery(request));
    }

    private static List<Entity> entities(QueryResult result) throws InvalidProtocolBufferException {
        List<Entity> entities = new ArrayList<>();
        for (EntityHit hit : result.hits()) {
            entities.add(Entity.parseFrom(hit.entity()));
        }
        return entities;
    }

    private List<String> names(String text) throws Exception {
        return entities(gql(text)).stream()
                .map(Entity::getKey)
                .map(Key::getPathList)
                .map(path -> path.getLast().getName())
                .toList();
    }
}
