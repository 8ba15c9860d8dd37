package petrichor.entities.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.query.QueryBench.commit;
import static petrichor.entities.query.QueryBench.gql;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.ExecutionStats;
import com.google.datastore.v1.ExplainMetrics;
import com.google.datastore.v1.ExplainOptions;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PropertyMask;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.QueryResult;

/** Queries through the facade, on a store in memory. */
class QueriesTest {
    private final QueryBench bench = new QueryBench();

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void kindsNamespacesAndPropertiesAreQueryable() throws Exception {
        bench.put(
                "key { path { kind: 'A' id: 1 } } properties { key: 'n' value { integer_value: 1 }"
                        + " }");
        bench.put(
                "key { path { kind: 'A' id: 2 } } properties { key: 'n' value { string_value: 's' }"
                        + " }");
        bench.put(
                "key { path { kind: 'B' id: 1 } } properties { key: 'm' value { integer_value: 1 }"
                        + " }");
        bench.put("key { partition_id { namespace_id: 'x' } path { kind: 'C' id: 1 } }");

        assertThat(names("SELECT __key__ FROM __kind__")).containsExactly("A", "B");
        assertThat(names("SELECT __key__ FROM __kind__ WHERE __key__ > KEY(__kind__, 'A')"))
                .containsExactly("B");
        assertThat(names("SELECT * FROM __namespace__")).containsExactly("", "x");
        assertThat(names("SELECT __key__ FROM __property__")).containsExactly("n", "m");
        List<Entity> properties =
                bench.entities(
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
    void aPropertyQueryReadsOneIndexRowPerResultAndNoMore() throws Exception {
        bench.numbers();
        QueryResult result = explained("SELECT * FROM A WHERE n >= 5 ORDER BY n LIMIT 3");
        assertThat(result.hits()).hasSize(3);
        assertThat(stat(result, "index_entries_scanned")).isBetween(3, 4);
        assertThat(stat(result, "documents_scanned")).isEqualTo(3);
        assertThat(result.batch().getMoreResults())
                .isEqualTo(MoreResultsType.MORE_RESULTS_AFTER_LIMIT);
    }

    @Test
    void equalitiesWithoutACompositeIndexMergeIndexesAndSkip() throws Exception {
        StringBuilder request = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            request.setLength(0);
            request.append("key { path { kind: 'A' id: ").append(i + 1).append(" } }");
            request.append("properties { key: 'all' value { integer_value: 1 } }");
            request.append("properties { key: 'rare' value { integer_value: ");
            request.append(i % 100).append(" } }");
            bench.put(request.toString());
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
        bench.datastore.commit(commit.build()).join();
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
        assertThat(bench.entities(gql("SELECT DISTINCT ON (g) * FROM A ORDER BY g, n DESC")))
                .extracting(e -> e.getPropertiesOrThrow("n").getIntegerValue())
                .containsExactly(396L, 397L, 398L, 399L);
    }

    @Test
    void representationsOfPropertiesCanBeProjected() throws Exception {
        bench.put(
                "key { path { kind: 'A' id: 1 } } properties { key: 'n' value { integer_value: 1 }"
                        + " }");
        bench.put(
                "key { path { kind: 'A' id: 2 } } properties { key: 'n' value { string_value: 's' }"
                        + " }");
        assertThat(bench.entities(gql("SELECT property_representation FROM __property__")))
                .extracting(e -> e.getPropertiesOrThrow("property_representation").getStringValue())
                .containsExactly("INT64", "STRING");
    }

    @Test
    void metadataIsOrderedByKeyAlone() throws Exception {
        bench.put(
                "key { path { kind: 'A' id: 1 } } properties { key: 'n' value { integer_value: 1 }"
                        + " }");
        bench.put(
                "key { path { kind: 'B' id: 1 } } properties { key: 'm' value { integer_value: 1 }"
                        + " }");
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
        bench.put(
                "key { path { kind: 'A' id: 1 } } properties { key: 'n' value { " + array + " } }");
        bench.put(
                "key { path { kind: 'A' id: 2 } } properties { key: 'n' value { integer_value: 1 }"
                        + " }");
        assertThat(bench.entities(gql("SELECT * FROM A WHERE n = 1 AND n > 5"))).hasSize(1);
        assertThat(bench.entities(gql("SELECT * FROM A WHERE n = 1 AND n != 1"))).hasSize(1);
        assertThat(bench.entities(gql("SELECT * FROM A WHERE n = 1 AND n < 5"))).hasSize(2);
        // One element must satisfy the range, not two.
        assertThat(bench.entities(gql("SELECT * FROM A WHERE n = 1 AND n > 7 AND n < 20")))
                .isEmpty();
    }

    @Test
    void aPlanAloneReadsNothing() throws Exception {
        bench.numbers();
        QueryResult result =
                bench.datastore.runQuery(
                        gql("SELECT * FROM A WHERE n > 3").toBuilder()
                                .setExplainOptions(ExplainOptions.getDefaultInstance())
                                .build());
        assertThat(result.hits()).isEmpty();
        assertThat(explain(result).hasExecutionStats()).isFalse();
        assertThat(explain(result).getPlanSummary().getIndexesUsedCount()).isEqualTo(1);
    }

    @Test
    void projectionsExplodeArraysAndComeFromTheIndex() throws Exception {
        bench.put(
                "key { path { kind: 'A' id: 1 } } properties { key: 't' value { array_value {"
                        + " values { string_value: 'y' } values { string_value: 'x' } } } }");
        QueryResult result = explained("SELECT t FROM A");
        assertThat(QueryBench.entities(result))
                .extracting(e -> e.getPropertiesOrThrow("t").getStringValue())
                .containsExactly("x", "y");
        assertThat(stat(result, "documents_scanned")).isZero();
    }

    @Test
    void aQueryInATransactionConflictsWithAWriteIntoItsRange() throws Exception {
        bench.numbers();
        ByteString transaction =
                bench.datastore
                        .beginTransaction(
                                BeginTransactionRequest.newBuilder().setProjectId("demo").build())
                        .getTransaction();
        bench.datastore.runQuery(
                gql("SELECT * FROM A WHERE n = 5").toBuilder()
                        .setReadOptions(ReadOptions.newBuilder().setTransaction(transaction))
                        .build());
        bench.put(
                "key { path { kind: 'A' id: 99 } } properties { key: 'n' value { integer_value: 5 }"
                        + " }");
        CommitRequest commit =
                commit("key { path { kind: 'B' id: 1 } }").toBuilder()
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .setTransaction(transaction)
                        .build();
        assertThatThrownBy(() -> bench.datastore.commit(commit).join())
                .rootCause()
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));
    }

    @Test
    void aMaskKeepsOnlyItsProperties() throws Exception {
        bench.numbers();
        QueryResult result =
                bench.datastore.runQuery(
                        gql("SELECT * FROM A WHERE n = 5").toBuilder()
                                .setPropertyMask(PropertyMask.newBuilder().addPaths("half"))
                                .build());
        assertThat(QueryBench.entities(result).getFirst().getPropertiesMap())
                .containsOnlyKeys("half");
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
            assertThatThrownBy(() -> bench.datastore.runQuery(gql(query)))
                    .as(query)
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
    }

    @Test
    void aForeignOrDamagedCursorIsRefused() throws Exception {
        bench.numbers();
        ByteString cursor = bench.datastore.runQuery(gql("SELECT * FROM A")).batch().getEndCursor();
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
            assertThatThrownBy(() -> bench.datastore.runQuery(request.build()))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
    }

    private QueryResult explained(String text) {
        return bench.datastore.runQuery(
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

    private List<String> names(String text) throws Exception {
        return bench.entities(gql(text)).stream()
                .map(Entity::getKey)
                .map(Key::getPathList)
                .map(path -> path.getLast().getName())
                .toList();
    }
}
