package petrichor.entities.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.entities.EntityHit;
import petrichor.entities.IndexCatalog;
import petrichor.entities.IndexDefinition;
import petrichor.entities.QueryResult;
import petrichor.entities.ReadContexts.Concurrency;
import petrichor.entities.SortOrder;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Without automatic indexes, a set of indexes serves the same queries as on Google. */
class IndexSelectionTest {
    private static final int ENTITIES = 40;
    private static final int PAGE = 3;

    private record Case(String query, List<IndexDefinition> indexes, boolean served) {}

    @Test
    void theIndexesServeTheSameQueriesAsOnGoogle() throws Exception {
        List<CommitRequest> entities = entities(new Random(1));
        int served = 0;
        int refused = 0;
        try (MemoryStore made = MemoryStore.open();
                RowDatabases automatic = new RowDatabases(made)) {
            Datastore reference = datastore(automatic, List.of(), Queries.MissingIndexes.CREATE);
            entities.forEach(commit -> reference.commit(commit).join());
            for (Case one : cases()) {
                try (MemoryStore store = MemoryStore.open();
                        RowDatabases rows = new RowDatabases(store)) {
                    Datastore datastore =
                            datastore(rows, one.indexes(), Queries.MissingIndexes.REFUSE);
                    entities.forEach(commit -> datastore.commit(commit).join());
                    List<String> answer = answer(datastore, one);
                    if (answer == null) {
                        refused++;
                        assertThat(one.served()).as(one.toString()).isFalse();
                        continue;
                    }
                    served++;
                    List<String> expected = shown(one, ask(reference, one.query(), null));
                    assertThat(answer)
                            .as(one.toString())
                            .containsExactlyInAnyOrderElementsOf(expected);
                    assertThat(paged(datastore, one)).as(one.toString()).isEqualTo(answer);
                }
            }
        }
        assertThat(served).isGreaterThan(100);
        assertThat(refused).isGreaterThan(30);
    }

    @Test
    void aCursorContinuesInItsOriginalOrder() throws Exception {
        String query = "SELECT b, c FROM A WHERE a = 1";
        try (MemoryStore store = MemoryStore.open();
                RowDatabases rows = new RowDatabases(store)) {
            Datastore datastore = datastore(rows, List.of(), Queries.MissingIndexes.REFUSE);
            entities(new Random(1)).forEach(commit -> datastore.commit(commit).join());
            IndexCatalog indexes = datastore.databases().open("demo", "").indexes();
            indexes.create(index("a, c, b"));
            indexes.finish();
            Case one = new Case(query, List.of(), true);
            List<String> whole = shown(one, ask(datastore, query, null));
            QueryResult first = ask(datastore, query + " LIMIT " + PAGE, null);
            assertThat(indexes.remove(index("a, c, b"))).isTrue();
            for (String other : List.of("a, b desc, c", "a, b, c", "a, c, b")) {
                indexes.create(index(other));
            }
            indexes.finish();
            List<String> paged = shown(one, first);
            paged.addAll(shown(one, ask(datastore, query, first.batch().getEndCursor())));
            assertThat(paged).isEqualTo(whole);
        }
    }

    private static Datastore datastore(
            RowDatabases rows, List<IndexDefinition> declared, Queries.MissingIndexes missing) {
        return new Datastore(
                new EntityDatabases(rows, declared),
                Concurrency.OPTIMISTIC,
                missing,
                TimeSource.SYSTEM);
    }

    /** Null if an index is missing. */
    private static @Nullable List<String> answer(Datastore datastore, Case one) throws Exception {
        try {
            return shown(one, ask(datastore, one.query(), null));
        } catch (PetrichorException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION);
            return null;
        }
    }

    private static List<String> paged(Datastore datastore, Case one) throws Exception {
        List<String> all = new ArrayList<>();
        @Nullable ByteString cursor = null;
        while (true) {
            QueryResult page = ask(datastore, one.query() + " LIMIT " + PAGE, cursor);
            all.addAll(shown(one, page));
            if (page.batch().getMoreResults() == MoreResultsType.NO_MORE_RESULTS) {
                return all;
            }
            cursor = page.batch().getEndCursor();
        }
    }

    private static QueryResult ask(Datastore datastore, String query, @Nullable ByteString cursor) {
        GqlQuery.Builder gql = GqlQuery.newBuilder().setAllowLiterals(true).setQueryString(query);
        if (cursor != null) {
            gql.setQueryString(query + " OFFSET @1")
                    .addPositionalBindingsBuilder()
                    .setCursor(cursor);
        }
        return datastore.runQuery(
                RunQueryRequest.newBuilder().setProjectId("demo").setGqlQuery(gql).build());
    }

    private static List<String> shown(Case one, QueryResult result) throws Exception {
        List<String> shown = new ArrayList<>();
        for (EntityHit hit : result.hits()) {
            Entity entity = Entity.parseFrom(hit.entity());
            // Any result of a group may be returned, but each group has one.
            shown.add(
                    one.query().contains("DISTINCT")
                            ? group(one, entity)
                            : entity.getKey() + " " + new TreeMap<>(entity.getPropertiesMap()));
        }
        return shown;
    }

    private static String group(Case one, Entity entity) {
        String query = one.query();
        String on = query.substring(query.indexOf('(') + 1, query.indexOf(')'));
        return Arrays.stream(on.split(", ", -1))
                .map(property -> entity.getPropertiesOrThrow(property).getIntegerValue())
                .toList()
                .toString();
    }

    private static List<CommitRequest> entities(Random random) {
        List<CommitRequest> commits = new ArrayList<>();
        for (int i = 1; i <= ENTITIES; i++) {
            Entity.Builder entity = Entity.newBuilder();
            entity.getKeyBuilder().getPartitionIdBuilder().setProjectId("demo");
            if (random.nextInt(3) > 0) {
                entity.getKeyBuilder().addPathBuilder().setKind("R").setId(1 + random.nextInt(2));
            }
            entity.getKeyBuilder().addPathBuilder().setKind("A").setId(i);
            for (String property : List.of("a", "b", "c", "d", "e", "f")) {
                ArrayValue.Builder values = ArrayValue.newBuilder();
                for (int n = random.nextInt(8) / 5; n >= 0; n--) {
                    values.addValues(Value.newBuilder().setIntegerValue(random.nextInt(3)));
                }
                entity.putProperties(
                        property,
                        values.getValuesCount() == 1
                                ? values.getValues(0)
                                : Value.newBuilder().setArrayValue(values).build());
            }
            commits.add(
                    CommitRequest.newBuilder()
                            .setProjectId("demo")
                            .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                            .addMutations(Mutation.newBuilder().setUpsert(entity))
                            .build());
        }
        return commits;
    }

    private static List<Case> cases() throws Exception {
        List<Case> cases = new ArrayList<>();
        try (InputStream in =
                Objects.requireNonNull(
                        IndexSelectionTest.class.getResourceAsStream("index-selection.txt"))) {
            String query = "";
            List<IndexDefinition> indexes = new ArrayList<>();
            for (String line :
                    new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                if (line.startsWith("=> ")) {
                    cases.add(new Case(query, List.copyOf(indexes), line.equals("=> served")));
                    indexes.clear();
                } else if (line.startsWith("  ")) {
                    indexes.add(index(line.strip()));
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    query = line;
                }
            }
        }
        return cases;
    }

    private static IndexDefinition index(String text) {
        boolean ancestor = text.startsWith("ancestor ");
        List<IndexDefinition.Column> columns = new ArrayList<>();
        for (String column : text.substring(ancestor ? "ancestor ".length() : 0).split(", ", -1)) {
            boolean descending = column.endsWith(" desc");
            columns.add(
                    new IndexDefinition.Column(
                            column.substring(0, column.length() - (descending ? 5 : 0)),
                            descending ? SortOrder.DESCENDING : SortOrder.ASCENDING));
        }
        return new IndexDefinition("A", ancestor, columns);
    }
}
