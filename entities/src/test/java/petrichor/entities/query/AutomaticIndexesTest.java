package petrichor.entities.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.RunQueryRequest;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.CompositeIndex;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.entities.IndexDefinition;
import petrichor.entities.Limits;
import petrichor.entities.ReadContexts.Concurrency;
import petrichor.entities.SortOrder;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Automatic changes to the composite indexes of a database by queries. */
class AutomaticIndexesTest {
    private static final IndexDefinition DECLARED =
            new IndexDefinition(
                    "A",
                    false,
                    List.of(
                            new IndexDefinition.Column("x", SortOrder.ASCENDING),
                            new IndexDefinition.Column("y", SortOrder.ASCENDING)));

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final Datastore datastore =
            new Datastore(
                    new EntityDatabases(rows, List.of(DECLARED)),
                    Concurrency.OPTIMISTIC,
                    Queries.MissingIndexes.CREATE,
                    TimeSource.SYSTEM);

    @AfterEach
    void close() {
        rows.close();
        store.close();
    }

    @Test
    void aFurtherIndexReplacesTheLeastRecentlyUsed() {
        query("SELECT * FROM A WHERE used = 1 ORDER BY b");
        query("SELECT * FROM A WHERE unused = 1 ORDER BY b");
        int used = id("used b");
        for (int i = 0; i < Limits.AUTOMATIC_INDEXES_MAX + 20; i++) {
            query("SELECT * FROM A WHERE a" + i + " = 1 ORDER BY b");
            query("SELECT * FROM A WHERE used = 1 ORDER BY b");
        }
        List<String> left = properties();
        assertThat(left).hasSize(Limits.AUTOMATIC_INDEXES_MAX + 1);
        assertThat(left)
                .contains("used b", "x y", "a" + (Limits.AUTOMATIC_INDEXES_MAX + 19) + " b");
        assertThat(left).doesNotContain("unused b", "a0 b");
        assertThat(id("used b")).as("it was never made anew").isEqualTo(used);
    }

    @Test
    void indexesOfManyPropertiesAreNotCreated() {
        for (int columns : List.of(Limits.AUTOMATIC_INDEX_COLUMNS_MAX + 1, 90)) {
            assertThatThrownBy(() -> query("SELECT * FROM A ORDER BY " + list("p", columns)))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                    .hasMessageContaining("index of " + columns + " properties");
        }
        assertThatThrownBy(() -> query("SELECT " + list("p", 2_000) + " FROM A"))
                .hasMessageContaining("at most 100");
        assertThat(properties()).containsExactly("x y");
        query("SELECT * FROM A ORDER BY " + list("p", Limits.AUTOMATIC_INDEX_COLUMNS_MAX));
        assertThat(properties()).hasSize(2);
    }

    @Test
    void aQueryHasAtMost100FiltersAndOrders() {
        assertThatThrownBy(() -> query("SELECT * FROM A ORDER BY " + list("p", 500)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessage(
                        "query is too large. may not have more than 100 filters + sort orders"
                                + " ancestor total");
        String filters =
                IntStream.range(0, 100)
                        .mapToObj(i -> "p" + i + " = 1")
                        .collect(Collectors.joining(" AND "));
        query("SELECT * FROM A WHERE " + filters);
        assertThatThrownBy(() -> query("SELECT * FROM A WHERE " + filters + " ORDER BY q"))
                .hasMessageStartingWith("query is too large");
    }

    @Test
    void withoutAKindOnlyAscendingKeysOrder() {
        query("SELECT * ORDER BY __key__");
        for (String order : List.of("__key__ DESC", "a")) {
            assertThatThrownBy(() -> query("SELECT * ORDER BY " + order))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessage("kind is required for all orders except __key__ ascending");
        }
        assertThatThrownBy(() -> query("SELECT * WHERE a = 1"))
                .hasMessage("kind is required for non-__key__ filters");
    }

    private static String list(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> name + i).collect(Collectors.joining(", "));
    }

    private List<String> properties() {
        return datastore.databases().open("demo", "").indexes().newest().all().stream()
                .filter(index -> index.state() != CompositeIndex.State.REMOVING)
                .map(AutomaticIndexesTest::properties)
                .toList();
    }

    private static String properties(CompositeIndex index) {
        return index.definition().columns().stream()
                .map(IndexDefinition.Column::property)
                .collect(Collectors.joining(" "));
    }

    private int id(String properties) {
        return datastore.databases().open("demo", "").indexes().newest().all().stream()
                .filter(index -> properties(index).equals(properties))
                .findFirst()
                .orElseThrow()
                .id();
    }

    private void query(String text) {
        datastore.runQuery(
                RunQueryRequest.newBuilder()
                        .setProjectId("demo")
                        .setGqlQuery(
                                GqlQuery.newBuilder().setQueryString(text).setAllowLiterals(true))
                        .build());
    }
}
