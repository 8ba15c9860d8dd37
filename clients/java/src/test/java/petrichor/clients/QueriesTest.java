package petrichor.clients;

import static com.google.cloud.datastore.StructuredQuery.CompositeFilter.and;
import static com.google.cloud.datastore.StructuredQuery.CompositeFilter.or;
import static com.google.cloud.datastore.StructuredQuery.OrderBy.asc;
import static com.google.cloud.datastore.StructuredQuery.OrderBy.desc;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static petrichor.clients.EntitiesTest.refused;

import com.google.cloud.datastore.AggregationResult;
import com.google.cloud.datastore.Cursor;
import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.EntityQuery;
import com.google.cloud.datastore.GqlQuery;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.ListValue;
import com.google.cloud.datastore.PathElement;
import com.google.cloud.datastore.ProjectionEntity;
import com.google.cloud.datastore.Query;
import com.google.cloud.datastore.QueryResults;
import com.google.cloud.datastore.StructuredQuery.Filter;
import com.google.cloud.datastore.StructuredQuery.PropertyFilter;
import com.google.cloud.datastore.aggregation.Aggregation;
import com.google.cloud.datastore.models.ExplainOptions;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class QueriesTest {
    private final Fixture fixture = Fixture.open().withCities();
    private final Datastore store = fixture.store();

    private static EntityQuery.Builder cities() {
        return Query.newEntityQueryBuilder().setKind("City");
    }

    static Stream<Arguments> operators() {
        ListValue numbers = ListValue.of(6, 30, 77);
        return Stream.of(
                Arguments.of(PropertyFilter.eq("thousands", 200), List.of("linz")),
                Arguments.of(PropertyFilter.lt("thousands", 200), List.of("bern", "vaduz", "zug")),
                Arguments.of(PropertyFilter.le("thousands", 200), List.of("bern", "linz", "vaduz", "zug")),
                Arguments.of(PropertyFilter.gt("thousands", 200), List.of("graz", "wien")),
                Arguments.of(PropertyFilter.ge("thousands", 200), List.of("graz", "linz", "wien")),
                Arguments.of(PropertyFilter.neq("thousands", 200), List.of("bern", "graz", "vaduz", "wien", "zug")),
                Arguments.of(PropertyFilter.in("thousands", numbers), List.of("vaduz", "zug")),
                Arguments.of(PropertyFilter.not_in("thousands", numbers), List.of("bern", "graz", "linz", "wien")),
                Arguments.of(PropertyFilter.eq("country", "ch"), List.of("bern", "zug")),
                Arguments.of(PropertyFilter.neq("country", "at"), List.of("bern", "vaduz", "zug")),
                Arguments.of(PropertyFilter.lt("altitude", 266.5), List.of("wien")),
                Arguments.of(PropertyFilter.eq("union", true), List.of("graz", "linz", "wien")),
                Arguments.of(PropertyFilter.eq("tags", "river"), List.of("bern", "graz", "linz", "wien")),
                Arguments.of(PropertyFilter.isNull("country"), List.of()),
                Arguments.of(
                        or(and(PropertyFilter.eq("country", "at"), PropertyFilter.lt("thousands", 250)),
                                PropertyFilter.eq("country", "li")),
                        List.of("linz", "vaduz")),
                Arguments.of(
                        or(PropertyFilter.eq("country", "at"), PropertyFilter.eq("union", true)),
                        List.of("graz", "linz", "wien")),
                Arguments.of(
                        and(PropertyFilter.eq("country", "at"), PropertyFilter.gt("thousands", 200),
                                PropertyFilter.lt("altitude", 200.0)),
                        List.of("wien")));
    }

    @ParameterizedTest
    @MethodSource("operators")
    void everyOperator(Filter filter, List<String> expected) {
        assertThat(fixture.names(cities().setFilter(filter).build())).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void ordersLimitsAndOffsets() {
        assertThat(fixture.names(cities().setOrderBy(asc("thousands")).build()))
                .containsExactly("vaduz", "zug", "bern", "linz", "graz", "wien");
        assertThat(fixture.names(cities().setOrderBy(desc("country"), asc("thousands")).setLimit(3).build()))
                .containsExactly("vaduz", "zug", "bern");
        assertThat(fixture.names(cities().setFilter(PropertyFilter.eq("country", "at")).setOrderBy(desc("thousands")).build()))
                .containsExactly("wien", "graz", "linz");
        assertThat(fixture.names(cities().setOrderBy(asc("thousands")).setOffset(1).setLimit(2).build()))
                .containsExactly("zug", "bern");
        assertThat(fixture.names(cities().setOffset(100).build())).isEmpty();
    }

    @Test
    void keysInFilters() {
        assertThat(fixture.names(cities().setFilter(PropertyFilter.gt("__key__", fixture.key("City", "linz"))).build()))
                .containsExactly("vaduz", "wien", "zug");
        assertThat(fixture.names(cities().setFilter(PropertyFilter.eq("__key__", fixture.key("City", "linz"))).build()))
                .containsExactly("linz");
    }

    @Test
    void ancestorsAndKindlessQueries() {
        Fixture own = Fixture.open();
        Key root = own.key("Book", "a");
        own.put(root, 0);
        own.put(own.store().newKeyFactory().setKind("Page").addAncestor(PathElement.of("Book", "a")).newKey("p"), 1);
        own.put(own.store().newKeyFactory().setKind("Page").addAncestor(PathElement.of("Book", "b")).newKey("q"), 2);
        Filter below = PropertyFilter.hasAncestor(root);
        assertThat(own.names(Query.newEntityQueryBuilder().setFilter(below).build())).containsExactly("a", "p");
        assertThat(own.names(Query.newEntityQueryBuilder().setKind("Page").setFilter(below).build())).containsExactly("p");
        assertThat(own.names(Query.newEntityQueryBuilder().setKind("Page")
                        .setFilter(and(below, PropertyFilter.gt("n", 0))).setOrderBy(desc("n")).build()))
                .containsExactly("p");
        assertThat(own.names(Query.newKeyQueryBuilder().build())).containsExactly("a", "p", "q");
    }

    @Test
    void keysOnlyProjectionAndDistinct() {
        assertThat(fixture.names(Query.newKeyQueryBuilder().setKind("City").setOrderBy(asc("thousands")).setLimit(2).build()))
                .containsExactly("vaduz", "zug");
        List<String> seen = new ArrayList<>();
        QueryResults<ProjectionEntity> projected = store.run(Query.newProjectionEntityQueryBuilder()
                .setKind("City").setProjection("country", "thousands").setOrderBy(asc("country"), asc("thousands")).setLimit(2).build());
        projected.forEachRemaining(e -> seen.add(e.getString("country") + e.getLong("thousands") + e.getNames().size()));
        assertThat(seen).containsExactly("at2002", "at3002");
        seen.clear();
        store.run(Query.newProjectionEntityQueryBuilder().setKind("City").setProjection("country").setDistinctOn("country").build())
                .forEachRemaining(e -> seen.add(e.getString("country")));
        assertThat(seen).containsExactly("at", "ch", "li");
        seen.clear();
        store.run(Query.newProjectionEntityQueryBuilder().setKind("City").setProjection("country", "thousands")
                        .setDistinctOn("country").setOrderBy(asc("country"), desc("thousands")).build())
                .forEachRemaining(e -> seen.add(e.getString("country") + e.getLong("thousands")));
        assertThat(seen).containsExactly("at2000", "ch140", "li6");
    }

    @Test
    void cursors() {
        EntityQuery query = cities().setOrderBy(desc("thousands")).build();
        QueryResults<Entity> results = store.run(query);
        results.next();
        results.next();
        Cursor middle = Cursor.fromUrlSafe(results.getCursorAfter().toUrlSafe());
        assertThat(fixture.names(query.toBuilder().setStartCursor(middle).build()))
                .containsExactly("linz", "bern", "zug", "vaduz");
        assertThat(fixture.names(query.toBuilder().setEndCursor(middle).build())).containsExactly("wien", "graz");
        QueryResults<Entity> limited = store.run(query.toBuilder().setLimit(2).build());
        limited.forEachRemaining(e -> {});
        assertThat(limited.getMoreResults()).isEqualTo(MoreResultsType.MORE_RESULTS_AFTER_LIMIT);
        refused("INVALID_ARGUMENT", () -> fixture.names(
                query.toBuilder().setStartCursor(Cursor.copyFrom(new byte[] {1, 2, 3})).build()));
    }

    @Test
    void manyResultsArriveInBatches() {
        for (long from = 1; from <= 1500; from += 500) {
            Entity[] rows = LongStream.range(from, from + 500)
                    .mapToObj(n -> Entity.newBuilder(fixture.kind("Row").newKey(n)).set("n", n).build())
                    .toArray(Entity[]::new);
            store.put(rows);
        }
        List<Long> seen = new ArrayList<>();
        store.run(Query.newEntityQueryBuilder().setKind("Row").setOrderBy(asc("n")).build())
                .forEachRemaining(e -> seen.add(e.getLong("n")));
        assertThat(seen).isEqualTo(LongStream.rangeClosed(1, 1500).boxed().toList());
        QueryResults<Entity> far = store.run(Query.newEntityQueryBuilder().setKind("Row").setOffset(1490).build());
        assertThat(far.hasNext()).isTrue();
        assertThat(far.getSkippedResults()).isEqualTo(1490);
        assertThat(far).toIterable().hasSize(10);
    }

    @Test
    void countSumAndAverage() {
        AggregationResult result = store.runAggregation(Query.newAggregationQueryBuilder()
                        .over(cities().setFilter(PropertyFilter.eq("country", "at")).build())
                        .addAggregations(
                                Aggregation.count().as("n"), Aggregation.sum("thousands").as("sum"), Aggregation.avg("thousands").as("avg"))
                        .build())
                .get(0);
        assertThat(result.getLong("n")).isEqualTo(3);
        assertThat(result.getLong("sum")).isEqualTo(2500);
        assertThat(result.getDouble("avg")).isCloseTo(2500 / 3.0, within(1e-9));
    }

    @Test
    void gqlWithLiteralsAndBindings() {
        GqlQuery<Entity> literals = Query.newGqlQueryBuilder(
                        Query.ResultType.ENTITY, "SELECT * FROM City WHERE country = 'at' AND thousands > 200 ORDER BY thousands DESC")
                .setAllowLiteral(true)
                .build();
        assertThat(fixture.names(literals)).containsExactly("wien", "graz");
        GqlQuery<Entity> named = Query.newGqlQueryBuilder(
                        Query.ResultType.ENTITY, "SELECT * FROM City WHERE country = @country LIMIT @limit")
                .setBinding("country", "at")
                .setBinding("limit", 2)
                .build();
        assertThat(fixture.names(named)).containsExactly("graz", "linz");
        GqlQuery<Key> positional = Query.newGqlQueryBuilder(
                        Query.ResultType.KEY, "SELECT __key__ FROM City WHERE thousands < @1 ORDER BY thousands")
                .addBinding(100)
                .build();
        assertThat(fixture.names(positional)).containsExactly("vaduz", "zug");
        refused("INVALID_ARGUMENT", () -> store.run(
                Query.newGqlQueryBuilder(Query.ResultType.ENTITY, "SELECT * FRM City").setAllowLiteral(true).build()));
    }

    @Test
    void gqlAggregation() {
        AggregationResult result = store.runAggregation(Query.newAggregationQueryBuilder()
                        .over(Query.newGqlQueryBuilder("AGGREGATE COUNT(*) AS n OVER (SELECT * FROM City WHERE country = 'ch')")
                                .setAllowLiteral(true)
                                .build())
                        .build())
                .get(0);
        assertThat(result.getLong("n")).isEqualTo(2);
    }

    @Test
    void metadata() {
        fixture.put(fixture.key("Counter", "a"), 1);
        assertThat(fixture.names(Query.newKeyQueryBuilder().setKind("__kind__").build())).containsExactly("City", "Counter");
        assertThat(fixture.names(Query.newKeyQueryBuilder().setKind("__namespace__").build())).contains(fixture.namespace());
        assertThat(fixture.names(Query.newKeyQueryBuilder().setKind("__property__")
                        .setFilter(PropertyFilter.hasAncestor(fixture.key("__kind__", "City"))).build()))
                .containsExactly("altitude", "country", "tags", "thousands", "union");
    }

    @Test
    void explain() {
        EntityQuery query = cities().setFilter(PropertyFilter.eq("country", "at")).build();
        QueryResults<Entity> results = store.run(query, ExplainOptions.newBuilder().setAnalyze(true).build());
        assertThat(results).toIterable().hasSize(3);
        var metrics = results.getExplainMetrics().orElseThrow();
        assertThat(metrics.getPlanSummary().getIndexesUsed()).isNotEmpty();
        assertThat(metrics.getExecutionStats().orElseThrow().getResultsReturned()).isEqualTo(3);
        QueryResults<Entity> plan = store.run(query, ExplainOptions.newBuilder().setAnalyze(false).build());
        assertThat(plan.hasNext()).isFalse();
        assertThat(plan.getExplainMetrics().orElseThrow().getExecutionStats()).isEmpty();
    }

    @Test
    void badQueriesAreRefused() {
        ListValue.Builder many = ListValue.newBuilder();
        LongStream.range(0, 31).forEach(many::addValue);
        refused("INVALID_ARGUMENT", () -> fixture.names(
                cities().setFilter(PropertyFilter.in("thousands", many.build())).build()));
        refused("INVALID_ARGUMENT", () -> fixture.names(Query.newProjectionEntityQueryBuilder()
                .setKind("City").setProjection("country").setFilter(PropertyFilter.eq("country", "at")).build()));
    }
}
