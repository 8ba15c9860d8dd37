package petrichor.clients.appengine;

import static com.google.appengine.api.datastore.FetchOptions.Builder.withDefaults;
import static com.google.appengine.api.datastore.FetchOptions.Builder.withLimit;
import static com.google.appengine.api.datastore.FetchOptions.Builder.withOffset;
import static com.google.appengine.api.datastore.FetchOptions.Builder.withStartCursor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.datastore.Cursor;
import com.google.appengine.api.datastore.DatastoreService;
import com.google.appengine.api.datastore.DatastoreServiceFactory;
import com.google.appengine.api.datastore.Entity;
import com.google.appengine.api.datastore.FetchOptions;
import com.google.appengine.api.datastore.Index;
import com.google.appengine.api.datastore.Key;
import com.google.appengine.api.datastore.KeyFactory;
import com.google.appengine.api.datastore.PreparedQuery;
import com.google.appengine.api.datastore.PropertyProjection;
import com.google.appengine.api.datastore.Query;
import com.google.appengine.api.datastore.Query.CompositeFilterOperator;
import com.google.appengine.api.datastore.Query.Filter;
import com.google.appengine.api.datastore.Query.FilterOperator;
import com.google.appengine.api.datastore.Query.FilterPredicate;
import com.google.appengine.api.datastore.Query.SortDirection;
import com.google.appengine.api.datastore.QueryResultIterator;
import com.google.appengine.api.datastore.QueryResultList;
import java.util.ArrayList;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Queries of {@code com.google.appengine.api.datastore}, over ten entities. */
class QueriesTest {
    private static final int ENTITIES = 10;

    private final App app = App.unique();
    private final DatastoreService store = DatastoreServiceFactory.getDatastoreService();

    private static Filter is(String property, FilterOperator operator, Object value) {
        return new FilterPredicate(property, operator, value);
    }

    /** Runs a test in which the items 1 to 10 exist, the first five with an ancestor. */
    private void withItems(App.Action test) throws Exception {
        app.run(() -> {
            for (int i = 1; i <= ENTITIES; i++) {
                Key parent = i <= 5 ? KeyFactory.createKey("Box", "b") : null;
                Entity item = new Entity(KeyFactory.createKey(parent, "Item", i));
                item.setProperty("n", i);
                item.setProperty("parity", i % 2 == 0 ? "even" : "odd");
                item.setProperty("tags", Arrays.asList("all", "t" + i));
                store.put(item);
            }
            test.run();
        });
    }

    private List<Long> numbers(Query query, FetchOptions options) {
        return store.prepare(query).asList(options).stream()
                .map(entity -> entity.getKey().getId())
                .toList();
    }

    private List<Long> numbers(Query query) {
        return numbers(query, withDefaults());
    }

    private List<Long> matching(Filter filter) {
        return numbers(new Query("Item").setFilter(filter).addSort("n"));
    }

    @Test
    void everyOperator() throws Exception {
        withItems(() -> {
            assertThat(matching(is("n", FilterOperator.LESS_THAN, 3))).containsExactly(1L, 2L);
            assertThat(matching(is("n", FilterOperator.LESS_THAN_OR_EQUAL, 2))).containsExactly(1L, 2L);
            assertThat(matching(is("n", FilterOperator.GREATER_THAN, 8))).containsExactly(9L, 10L);
            assertThat(matching(is("n", FilterOperator.GREATER_THAN_OR_EQUAL, 10))).containsExactly(10L);
            assertThat(matching(is("n", FilterOperator.NOT_EQUAL, 5))).hasSize(9).doesNotContain(5L);
            assertThat(matching(is("n", FilterOperator.IN, List.of(7, 3, 99)))).containsExactly(3L, 7L);
            assertThat(matching(is("tags", FilterOperator.EQUAL, "t4"))).containsExactly(4L);
        });
    }

    @Test
    void equalDates() throws Exception {
        app.run(() -> {
            Date noon = Date.from(Instant.parse("2026-11-27T12:00:00.123Z"));
            Entity event = new Entity(KeyFactory.createKey("Event", 1));
            event.setProperty("at", noon);
            store.put(event);
            assertThat(numbers(new Query("Event").setFilter(is("at", FilterOperator.EQUAL, noon)))).containsExactly(1L);
            assertThat(numbers(new Query("Event").setFilter(is("at", FilterOperator.IN, List.of(noon, new Date(0))))))
                    .containsExactly(1L);
        });
    }

    @Test
    void conjunctionsAndDisjunctions() throws Exception {
        withItems(() -> {
            Filter even = is("parity", FilterOperator.EQUAL, "even");
            Filter large = is("n", FilterOperator.GREATER_THAN, 6);
            assertThat(matching(CompositeFilterOperator.and(even, large))).containsExactly(8L, 10L);
            Filter odd = is("parity", FilterOperator.EQUAL, "odd");
            assertThat(matching(CompositeFilterOperator.or(CompositeFilterOperator.and(even, large), odd)))
                    .containsExactly(1L, 3L, 5L, 7L, 8L, 9L, 10L);
            assertThat(matching(CompositeFilterOperator.and(
                            is("tags", FilterOperator.EQUAL, "all"), is("tags", FilterOperator.EQUAL, "t2"))))
                    .containsExactly(2L);
        });
    }

    @Test
    void ordersLimitsAndOffsets() throws Exception {
        withItems(() -> {
            Query sorted = new Query("Item").addSort("parity").addSort("n", SortDirection.DESCENDING);
            assertThat(numbers(sorted)).containsExactly(10L, 8L, 6L, 4L, 2L, 9L, 7L, 5L, 3L, 1L);
            assertThat(numbers(sorted, withLimit(3).offset(4))).containsExactly(2L, 9L, 7L);
            assertThat(numbers(sorted, withOffset(9))).containsExactly(1L);
            assertThat(numbers(sorted, withLimit(7).chunkSize(2).prefetchSize(1)))
                    .containsExactly(10L, 8L, 6L, 4L, 2L, 9L, 7L);
            assertThat(store.prepare(sorted).countEntities(withDefaults())).isEqualTo(10);
            assertThat(store.prepare(sorted).countEntities(withLimit(4))).isEqualTo(4);
            assertThat(store.prepare(sorted).countEntities(withOffset(7))).isEqualTo(3);
        });
    }

    @Test
    void ancestorsAndKeys() throws Exception {
        withItems(() -> {
            Key box = KeyFactory.createKey("Box", "b");
            assertThat(numbers(new Query("Item", box))).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(numbers(new Query(box))).containsExactly(1L, 2L, 3L, 4L, 5L);
            Filter behind =
                    is(Entity.KEY_RESERVED_PROPERTY, FilterOperator.GREATER_THAN, KeyFactory.createKey(box, "Item", 3));
            assertThat(numbers(new Query("Item", box).setFilter(behind))).containsExactly(4L, 5L);
            List<Entity> keys = store.prepare(new Query("Item").setKeysOnly()).asList(withDefaults());
            assertThat(keys).hasSize(ENTITIES).allMatch(entity -> entity.getProperties().isEmpty());
            assertThat(numbers(new Query().setAncestor(box))).hasSize(5);
        });
    }

    @Test
    void projections() throws Exception {
        withItems(() -> {
            Query query = new Query("Item")
                    .addProjection(new PropertyProjection("n", Long.class))
                    .addProjection(new PropertyProjection("parity", String.class))
                    .setFilter(is("n", FilterOperator.LESS_THAN, 3))
                    .addSort("n");
            List<Entity> found = store.prepare(query).asList(withDefaults());
            assertThat(found).extracting(entity -> entity.getProperty("n")).containsExactly(1L, 2L);
            assertThat(found).extracting(entity -> entity.getProperty("parity")).containsExactly("odd", "even");
            assertThat(found).noneMatch(entity -> entity.hasProperty("tags"));
            Query distinct = new Query("Item")
                    .addProjection(new PropertyProjection("parity", String.class))
                    .setDistinct(true);
            assertThat(store.prepare(distinct).asList(withDefaults()))
                    .extracting(entity -> entity.getProperty("parity"))
                    .containsExactly("even", "odd");
        });
    }

    @Test
    void pagesOfAList() throws Exception {
        withItems(() -> {
            Query sorted = new Query("Item").addSort("n", SortDirection.DESCENDING);
            List<Long> found = new ArrayList<>();
            QueryResultList<Entity> page = store.prepare(sorted).asQueryResultList(withLimit(4));
            while (!page.isEmpty()) {
                page.forEach(entity -> found.add(entity.getKey().getId()));
                Cursor cursor = Cursor.fromWebSafeString(page.getCursor().toWebSafeString());
                page = store.prepare(sorted).asQueryResultList(withStartCursor(cursor).limit(4));
            }
            assertThat(found).containsExactly(10L, 9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L);
        });
    }

    @Test
    void cursorsInTheMiddleOfAnIteration() throws Exception {
        withItems(() -> {
            Query sorted = new Query("Item").addSort("n");
            QueryResultIterator<Entity> results =
                    store.prepare(sorted).asQueryResultIterator(FetchOptions.Builder.withChunkSize(3));
            for (int i = 0; i < 5; i++) {
                results.next();
            }
            Cursor cursor = results.getCursor();
            assertThat(numbers(sorted, withStartCursor(cursor))).containsExactly(6L, 7L, 8L, 9L, 10L);
            assertThat(numbers(sorted, withDefaults().endCursor(cursor))).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(numbers(sorted, withStartCursor(cursor).offset(2).limit(2))).containsExactly(8L, 9L);
        });
    }

    @Test
    void singleEntities() throws Exception {
        withItems(() -> {
            Query one = new Query("Item").setFilter(is("n", FilterOperator.EQUAL, 3));
            assertThat(store.prepare(one).asSingleEntity().getProperty("n")).isEqualTo(3L);
            assertThat(store.prepare(new Query("None")).asSingleEntity()).isNull();
            assertThatThrownBy(() -> store.prepare(new Query("Item")).asSingleEntity())
                    .isInstanceOf(PreparedQuery.TooManyResultsException.class);
        });
    }

    @Test
    void aQueryWithoutResults() throws Exception {
        app.run(() -> {
            assertThat(store.prepare(new Query("Item")).asList(withDefaults())).isEmpty();
            assertThat(store.prepare(new Query("Item")).countEntities(withDefaults())).isZero();
            QueryResultIterator<Entity> none = store.prepare(new Query("Item")).asQueryResultIterator();
            assertThat(none.hasNext()).isFalse();
        });
    }

    @Test
    void indexesOfTheAppAreListed() throws Exception {
        withItems(() -> {
            numbers(new Query("Item").addSort("parity").addSort("n", SortDirection.DESCENDING));
            assertThat(store.getIndexes()).isNotNull();
            for (Index index : store.getIndexes().keySet()) {
                assertThat(index.getKind()).isEqualTo("Item");
            }
        });
    }
}
