package petrichor.frontends.appengine.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.frontends.appengine.datastore.V3App.entity;
import static petrichor.frontends.appengine.datastore.V3App.filter;
import static petrichor.frontends.appengine.datastore.V3App.key;
import static petrichor.frontends.appengine.datastore.V3App.order;
import static petrichor.frontends.appengine.datastore.V3App.property;
import static petrichor.frontends.appengine.datastore.V3App.query;
import static petrichor.frontends.appengine.datastore.V3Failures.fails;

import com.google.apphosting.base.protos.api.ApiBasePb.Integer64Proto;
import com.google.apphosting.base.protos.api.ApiBasePb.VoidProto;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.CompiledCursor;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.CompositeIndices;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Cursor;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Error.ErrorCode;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetIndicesRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.NextRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query.Filter.Operator;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query.Order.Direction;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.QueryResult;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.CompositeIndex;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Index;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property.Meaning;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.frontends.appengine.CallingApp;

/** RunQuery, Next, Count and the methods for indexes. */
class DatastoreV3QueriesTest {
    private final V3App app = new V3App();

    @AfterEach
    void close() {
        app.close();
    }

    /** Entities of kind N with the ids and the numbers 1 to {@code count}. */
    private void numbers(int count) {
        app.put(
                IntStream.rangeClosed(1, count)
                        .mapToObj(i -> entity(key("N", i), "n", i, "odd", i % 2 == 1))
                        .toArray(EntityProto[]::new));
    }

    private static List<String> upTo(int last) {
        return range(1, last);
    }

    private static List<String> range(int first, int last) {
        return IntStream.rangeClosed(first, last).mapToObj(Integer::toString).toList();
    }

    @Test
    void filtersAndOrders() {
        numbers(6);
        assertThat(app.names(query("N").addFilter(filter("n", Operator.GREATER_THAN, 3))))
                .containsExactly("4", "5", "6");
        assertThat(
                        app.names(
                                query("N")
                                        .addFilter(filter("odd", Operator.EQUAL, true))
                                        .addOrder(order("n", Direction.DESCENDING))))
                .containsExactly("5", "3", "1");
        assertThat(app.names(query("N").addFilter(filter("n", Operator.NOT_EQUAL, 3))))
                .containsExactly("1", "2", "4", "5", "6");
        Query.Filter in =
                filter("n", Operator.IN, 2).toBuilder().addProperty(property("n", 5)).build();
        assertThat(app.names(query("N").addFilter(in))).containsExactly("2", "5");
    }

    /** Java's SDK sends times in filters as integers. */
    @Test
    void anIntegerInAFilterMayBeATime() {
        long micros = 1_767_225_600_000_000L;
        Property time = property("t", micros).toBuilder().setMeaning(Meaning.GD_WHEN).build();
        app.put(entity(key("A", 1), "t", time));
        app.put(entity(key("A", 2), "t", micros));
        app.put(entity(key("A", 3), "t", micros + 1));
        assertThat(app.names(query("A").addFilter(filter("t", Operator.EQUAL, micros))))
                .containsExactly("1", "2");
    }

    /** SDKs for Python 3 send the texts of filters as bytes. */
    @Test
    void filtersDoNotDistinguishTextAndBytes() {
        Property bytes = property("p", "b").toBuilder().setMeaning(Meaning.BYTESTRING).build();
        app.put(
                entity(key("N", 1), "p", "a"),
                entity(key("N", 2), "p", "b"),
                entity(key("N", 3), "p", bytes),
                entity(key("N", 4), "p", "c"));
        assertThat(app.names(query("N").addFilter(filter("p", Operator.EQUAL, bytes))))
                .containsExactly("2", "3");
        for (Object operand : List.of("b", bytes)) {
            assertThat(app.names(query("N").addFilter(filter("p", Operator.LESS_THAN, operand))))
                    .containsExactly("1");
            assertThat(
                            app.names(
                                    query("N")
                                            .addFilter(
                                                    filter(
                                                            "p",
                                                            Operator.LESS_THAN_OR_EQUAL,
                                                            operand))))
                    .containsExactly("1", "2", "3");
            assertThat(app.names(query("N").addFilter(filter("p", Operator.GREATER_THAN, operand))))
                    .containsExactly("4");
            assertThat(
                            app.names(
                                    query("N")
                                            .addFilter(
                                                    filter(
                                                            "p",
                                                            Operator.GREATER_THAN_OR_EQUAL,
                                                            operand))))
                    .containsExactly("2", "3", "4");
        }
        Query.Builder many = query("N");
        for (int i = 0; i < 8; i++) {
            many.addFilter(filter("p", Operator.EQUAL, bytes));
        }
        assertThat(app.names(many)).contains("2");
    }

    /** The filter finds texts and bytes, which an index has in different places. */
    @Test
    void anOrderByThePropertyOfAnEqualityFilterHasNoEffect() {
        Property bytes = property("p", "b").toBuilder().setMeaning(Meaning.BYTESTRING).build();
        app.put(
                entity(key("N", 1), "p", bytes, "q", 1),
                entity(key("N", 2), "p", "b", "q", 2),
                entity(key("N", 3), "p", bytes, "q", 3));
        for (Direction direction : Direction.values()) {
            assertThat(
                            app.names(
                                    query("N")
                                            .addFilter(filter("p", Operator.EQUAL, bytes))
                                            .addOrder(order("p", direction))
                                            .addOrder(order("q", Direction.ASCENDING))))
                    .containsExactly("1", "2", "3");
        }
    }

    @Test
    void existsFindsEntitiesThatHaveTheProperty() {
        app.put(entity(key("N", 1), "a", 1), entity(key("N", 2), "b", 1));
        app.put(
                entity(key("N", 3)).toBuilder()
                        .addProperty(
                                Property.newBuilder()
                                        .setName("a")
                                        .setMultiple(false)
                                        .setValue(
                                                com.google.storage.onestore.v3.proto2api
                                                        .OnestoreEntity.PropertyValue
                                                        .getDefaultInstance()))
                        .build());
        assertThat(app.names(query("N").addFilter(filter("a", Operator.EXISTS, 0))))
                .containsExactly("3", "1");
    }

    @Test
    void ancestorsAndQueriesWithoutAKind() {
        app.put(
                entity(key("A", 1)),
                entity(key("A", 1, "B", 2)),
                entity(key("A", 1, "B", 2, "C", 3)),
                entity(key("A", 2)));
        assertThat(app.names(Query.newBuilder().setAncestor(key("A", 1))))
                .containsExactly("1", "2", "3");
        assertThat(app.names(query("C").setAncestor(key("A", 1, "B", 2)))).containsExactly("3");
        assertThat(
                        app.names(
                                Query.newBuilder()
                                        .addFilter(
                                                filter(
                                                        "__key__",
                                                        Operator.GREATER_THAN,
                                                        key("A", 1, "B", 2)))))
                .containsExactly("3", "2");
        fails(
                ErrorCode.BAD_REQUEST,
                "__key__ filter value must be a Key",
                () -> app.run(query("A").addFilter(filter("__key__", Operator.EQUAL, 1))));
    }

    @Test
    void keysOnlyAndProjections() {
        numbers(2);
        QueryResult keys = app.run(query("N").setKeysOnly(true));
        assertThat(keys.getKeysOnly()).isTrue();
        assertThat(keys.getResult(0).getPropertyCount()).isZero();
        assertThat(keys.getVersionCount()).isZero();
        QueryResult projected = app.run(query("N").addPropertyName("n"));
        assertThat(projected.getIndexOnly()).isTrue();
        assertThat(projected.getResult(0).getPropertyList())
                .containsExactly(
                        property("n", 1).toBuilder().setMeaning(Meaning.INDEX_VALUE).build());
        fails(
                ErrorCode.BAD_REQUEST,
                "projection and keys_only cannot both be set",
                () -> app.run(query("N").setKeysOnly(true).addPropertyName("n")));
        fails(
                ErrorCode.BAD_REQUEST,
                "cannot project a property multiple times",
                () -> app.run(query("N").addPropertyName("n").addPropertyName("n")));
    }

    @Test
    void groupByReturnsTheFirstOfEachGroup() {
        numbers(5);
        assertThat(
                        app.names(
                                query("N")
                                        .addPropertyName("odd")
                                        .addPropertyName("n")
                                        .addGroupByPropertyName("odd")))
                .containsExactly("2", "1");
        assertThat(app.names(query("N").addPropertyName("odd").setDistinct(true)))
                .containsExactly("2", "1");
    }

    @Test
    void batchesHaveTheRequestedNumberOfResults() {
        numbers(50);
        List<QueryResult> batches = app.runAll(query("N").setCount(20));
        assertThat(batches).extracting(QueryResult::getResultCount).containsExactly(20, 20, 10);
        assertThat(batches.stream().flatMap(batch -> V3App.names(batch).stream()))
                .containsExactlyElementsOf(upTo(50));
        assertThat(app.run(query("N")).getResultCount()).isEqualTo(20);
        assertThat(app.next(app.run(query("N"))).getResultCount()).isEqualTo(30);
    }

    @Test
    void theLimitEndsTheQuery() {
        numbers(50);
        List<QueryResult> batches = app.runAll(query("N").setCount(20).setLimit(30));
        assertThat(batches).extracting(QueryResult::getResultCount).containsExactly(20, 10);
        assertThat(app.run(query("N").setLimit(30)).getMoreResults()).isFalse();
        assertThat(app.run(query("N").setLimit(0)).getMoreResults()).isFalse();
    }

    @Test
    void aBatchSaysThatNoMoreResultsFollow() {
        numbers(20);
        assertThat(app.run(query("N").setCount(20)).getMoreResults()).isFalse();
        assertThat(app.run(query("N").setCount(0)).getMoreResults()).isTrue();
        assertThat(app.run(query("None").setCount(0)).getMoreResults()).isFalse();
    }

    @Test
    void batchesHaveAboutAMegabyte() {
        String text = "x".repeat(300_000);
        for (int i = 1; i <= 8; i++) {
            Property blob = property("p", text).toBuilder().setMeaning(Meaning.TEXT).build();
            app.put(entity(key("N", i)).toBuilder().addRawProperty(blob).build());
        }
        List<QueryResult> batches = app.runAll(query("N").setCount(8));
        assertThat(batches).allMatch(batch -> batch.getSerializedSize() < 1_100_000);
        assertThat(batches.stream().flatMap(batch -> V3App.names(batch).stream()))
                .containsExactlyElementsOf(upTo(8));
    }

    /** As the Go SDK counts: everything is skipped, and no result is wanted. */
    @Test
    void offsetsSkipResults() {
        numbers(30);
        QueryResult skipped = app.run(query("N").setOffset(25).setCompile(true));
        assertThat(skipped.getSkippedResults()).isEqualTo(25);
        assertThat(V3App.names(skipped)).containsExactlyElementsOf(range(26, 30));
        assertThat(
                        V3App.names(
                                app.run(
                                        query("N")
                                                .setCompiledCursor(
                                                        skipped
                                                                .getSkippedResultsCompiledCursor()))))
                .containsExactlyElementsOf(range(26, 30));
        QueryResult counted =
                app.run(query("N").setKeysOnly(true).setOffset(Integer.MAX_VALUE).setLimit(0));
        assertThat(counted.getSkippedResults()).isEqualTo(30);
        assertThat(counted.getResultCount()).isZero();
        assertThat(counted.getMoreResults()).isFalse();
    }

    @Test
    void cursorsResumeAndEndQueries() {
        numbers(10);
        QueryResult first = app.run(query("N").setLimit(4).setCompile(true));
        assertThat(first.getResultCompiledCursorCount()).isEqualTo(4);
        assertThat(names(query("N").setCompiledCursor(first.getCompiledCursor())))
                .containsExactlyElementsOf(range(5, 10));
        assertThat(names(query("N").setCompiledCursor(first.getResultCompiledCursor(1))))
                .containsExactlyElementsOf(range(3, 10));
        assertThat(names(query("N").setEndCompiledCursor(first.getCompiledCursor())))
                .containsExactlyElementsOf(upTo(4));
        CompiledCursor start = CompiledCursor.getDefaultInstance();
        assertThat(names(query("N").setCompiledCursor(start))).hasSize(10);
        QueryResult none = app.run(query("N").setEndCompiledCursor(start).setOffset(3));
        assertThat(none.getResultCount()).isZero();
        assertThat(none.getMoreResults()).isFalse();
        assertThat(app.run(query("None").setCompile(true)).hasCompiledCursor()).isTrue();
    }

    private List<String> names(Query.Builder query) {
        return app.names(query);
    }

    @Test
    void foreignAndDamagedCursorsAreRefused() {
        CompiledCursor.Builder foreign = CompiledCursor.newBuilder();
        foreign.getPostfixPositionBuilder().setKey(key("N", 1));
        fails(
                ErrorCode.BAD_REQUEST,
                "not one of this server",
                () -> app.run(query("N").setCompiledCursor(foreign)));
        CompiledCursor.Builder damaged = CompiledCursor.newBuilder();
        damaged.getAbsolutePositionBuilder().setKey("!");
        fails(
                ErrorCode.BAD_REQUEST,
                "damaged",
                () -> app.run(query("N").setCompiledCursor(damaged)));
    }

    @Test
    void nextNeedsAContinuationOfTheSameApp() {
        numbers(30);
        fails(
                ErrorCode.BAD_REQUEST,
                "Cursor 7 not found",
                () ->
                        app.call(
                                "Next",
                                NextRequest.newBuilder()
                                        .setCursor(Cursor.newBuilder().setCursor(7))
                                        .build(),
                                QueryResult.parser()));
        NextRequest next =
                NextRequest.newBuilder().setCursor(app.run(query("N")).getCursor()).build();
        fails(
                ErrorCode.BAD_REQUEST,
                "cannot access",
                () -> app.call(CallingApp.of("other"), "Next", next, QueryResult.parser()));
    }

    /** Otherwise an app that changes what it orders by would meet entities again. */
    @Test
    void allBatchesReadTheSameVersion() {
        numbers(30);
        QueryResult first = app.run(query("N").addOrder(order("n", Direction.ASCENDING)));
        for (int i = 1; i <= 20; i++) {
            app.put(entity(key("N", i), "n", 100 + i));
        }
        assertThat(V3App.names(app.next(first))).containsExactlyElementsOf(range(21, 30));
    }

    @Test
    void queriesInTransactionsReadItsVersion() {
        numbers(30);
        Transaction transaction = app.begin();
        QueryResult first = app.run(query("N").setTransaction(transaction));
        app.put(entity(key("N", 31), "n", 31));
        assertThat(V3App.names(app.next(first))).containsExactlyElementsOf(range(21, 30));
        app.put(transaction, entity(key("N", 32), "n", 32));
        fails(ErrorCode.CONCURRENT_TRANSACTION, "", () -> app.commit(transaction));
    }

    @Test
    void countCounts() {
        numbers(10);
        assertThat(count(query("N"))).isEqualTo(10);
        assertThat(count(query("N").setOffset(4).setLimit(3))).isEqualTo(3);
        assertThat(count(query("N").setOffset(8).setLimit(5))).isEqualTo(2);
        assertThat(count(query("N").setOffset(20))).isZero();
        assertThat(count(query("N").setLimit(0))).isZero();
    }

    private long count(Query.Builder query) {
        return app.call("Count", query.setApp(V3App.ID).build(), Integer64Proto.parser())
                .getValue();
    }

    @Test
    void metadataKinds() {
        numbers(2);
        app.put(entity(key("Other", "x"), "text", "a"));
        assertThat(app.names(query("__kind__"))).containsExactly("N", "Other");
        assertThat(app.names(query("__namespace__"))).containsExactly("1");
        assertThat(
                        app.names(
                                query("__kind__")
                                        .addFilter(
                                                filter(
                                                        "__key__",
                                                        Operator.GREATER_THAN,
                                                        key("__kind__", "N")))))
                .containsExactly("Other");
        QueryResult properties = app.run(query("__property__").setAncestor(key("__kind__", "N")));
        assertThat(V3App.names(properties)).containsExactly("n", "odd");
        assertThat(properties.getResult(0).getProperty(0).getValue().getStringValue())
                .isEqualTo("INT64");
        assertThat(properties.getResult(0).getProperty(0).getMultiple()).isTrue();
    }

    @Test
    void ancestorAndKeysMustBeInTheNamespaceOfTheQuery() {
        fails(
                ErrorCode.BAD_REQUEST,
                "query namespace is x but ancestor namespace is ",
                () -> app.run(query("N").setNameSpace("x").setAncestor(key("A", 1))));
        fails(
                ErrorCode.BAD_REQUEST,
                "query namespace is \"x\"",
                () ->
                        app.run(
                                query("N")
                                        .setNameSpace("x")
                                        .addFilter(
                                                filter("__key__", Operator.EQUAL, key("N", 1)))));
    }

    @Test
    void indexesAreCreatedListedAndDeleted() {
        CompositeIndex index =
                CompositeIndex.newBuilder()
                        .setAppId(V3App.ID)
                        .setId(0)
                        .setState(CompositeIndex.State.WRITE_ONLY)
                        .setDefinition(
                                Index.newBuilder()
                                        .setEntityType("N")
                                        .setAncestor(false)
                                        .addProperty(
                                                Index.Property.newBuilder()
                                                        .setName("odd")
                                                        .setDirection(
                                                                Index.Property.Direction.ASCENDING))
                                        .addProperty(
                                                Index.Property.newBuilder()
                                                        .setName("n")
                                                        .setDirection(
                                                                Index.Property.Direction
                                                                        .DESCENDING)))
                        .build();
        long id = app.call("CreateIndex", index, Integer64Proto.parser()).getValue();
        assertThat(indexes())
                .singleElement()
                .satisfies(
                        listed -> {
                            assertThat(listed.getId()).isEqualTo(id);
                            assertThat(listed.getDefinition()).isEqualTo(index.getDefinition());
                        });
        fails(
                ErrorCode.BAD_REQUEST,
                "Index already exists.",
                () -> app.call("CreateIndex", index, Integer64Proto.parser()));
        var _ =
                app.call(
                        "UpdateIndex",
                        index.toBuilder().setState(CompositeIndex.State.READ_WRITE).build(),
                        VoidProto.parser());
        var _ = app.call("DeleteIndex", index, VoidProto.parser());
        fails(
                ErrorCode.BAD_REQUEST,
                "Index does not exist.",
                () -> app.call("DeleteIndex", index, VoidProto.parser()));
    }

    private List<CompositeIndex> indexes() {
        return app.call(
                        "GetIndices",
                        GetIndicesRequest.newBuilder().setAppId(V3App.ID).build(),
                        CompositeIndices.parser())
                .getIndexList();
    }
}
