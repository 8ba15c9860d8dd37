package petrichor.frontends.appengine.datastore;

import com.google.apphosting.base.protos.api.ApiBasePb.Integer64Proto;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.CompiledQuery;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.NextRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.QueryResult;
import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunQueryRequest;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Int64Value;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.Datastore;
import petrichor.entities.EntityHit;
import petrichor.entities.ValueCodec;
import petrichor.frontends.appengine.CallingApp;

/**
 * RunQuery, Next and Count. All batches of a query outside a transaction read the version of the
 * first one, as long as it is kept: an app may change what it iterates over. Thread-safe.
 */
record QueryCalls(Supplier<Datastore> datastore, AppTransactions transactions, OpenQueries open) {
    /** The first batch of a query that does not ask for a number, as documented by Google. */
    static final int FIRST_BATCH_RESULTS = 20;

    /** Further batches of such a query. */
    static final int NEXT_BATCH_RESULTS = 300;

    /** Entities in a batch of results, as App Engine limits them. */
    static final int BATCH_BYTES_MAX = 1 << 20;

    private static final String COUNT = "count";

    QueryResult run(CallingApp app, Query query) {
        AppId id = AppId.of(app, query.getApp());
        Batch batch = batch(app, id, query, count(query, FIRST_BATCH_RESULTS));
        QueryResult.Builder result = batch.result();
        Query rest = batch.rest();
        if (rest != null) {
            long number = open.add(app.project(), rest);
            result.setCursor(new Continuation(number, true, rest).cursor());
        }
        if (query.getCompile()) {
            result.setCompiledQuery(
                    CompiledQuery.newBuilder()
                            .setKeysOnly(query.getKeysOnly())
                            .setPrimaryScan(
                                    CompiledQuery.PrimaryScan.newBuilder()
                                            .setIndexName("petrichor")));
        }
        return result.build();
    }

    /**
     * The rest of the offset is part of the continuation, so the one of the request is redundant.
     */
    QueryResult next(CallingApp app, NextRequest request) {
        Continuation continuation = Continuation.of(request.getCursor());
        AppId id = AppId.of(app, continuation.rest().getApp());
        long number = continuation.number();
        Query query = continuation.afterFirst() ? known(app, number) : continuation.rest();
        int count = request.hasCount() ? request.getCount() : count(query, NEXT_BATCH_RESULTS);
        V3Error.check(count >= 0, "Count must be >= 0");
        Batch batch =
                next(app, id, query.toBuilder().setCompile(request.getCompile()).build(), count);
        Query rest = batch.rest();
        if (rest == null || !continuation.afterFirst()) {
            open.remove(app.project(), number); // or the client sends the newest cursor
        } else {
            open.put(app.project(), number, rest);
        }
        return rest == null
                ? batch.result().build()
                : batch.result().setCursor(new Continuation(number, false, rest).cursor()).build();
    }

    private Query known(CallingApp app, long number) {
        Query rest = open.rest(app.project(), number);
        if (rest == null) {
            throw V3Error.timeout("the position of the query is not known any more: run it again");
        }
        return rest;
    }

    private Batch next(CallingApp app, AppId id, Query query, int count) {
        try {
            return batch(app, id, query, count);
        } catch (PetrichorException e) {
            if (query.hasReadTimeUs() && e.code() == ErrorCode.INVALID_ARGUMENT) {
                // Probably the version is no longer kept; otherwise this fails in the same way.
                return batch(app, id, query.toBuilder().clearReadTimeUs().build(), count);
            }
            throw e;
        }
    }

    private static int count(Query query, int otherwise) {
        if (query.hasCount()) {
            return query.getCount();
        }
        return query.hasLimit() ? query.getLimit() : otherwise;
    }

    /**
     * @param rest null if there are no more results
     */
    private record Batch(QueryResult.Builder result, @Nullable Query rest) {}

    private Batch batch(CallingApp app, AppId id, Query query, int count) {
        EntityTranslator entities = new EntityTranslator(id);
        OptionalInt limit =
                query.hasLimit() ? OptionalInt.of(query.getLimit()) : OptionalInt.empty();
        boolean none =
                query.hasEndCompiledCursor()
                        && CompiledCursors.isStart(query.getEndCompiledCursor());
        com.google.datastore.v1.Query.Builder v1 =
                new QueryTranslator(id)
                        .toV1(query)
                        .setStartCursor(CompiledCursors.toV1(query.getCompiledCursor()))
                        .setEndCursor(CompiledCursors.toV1(query.getEndCompiledCursor()))
                        .setOffset(none ? 0 : query.getOffset())
                        .setLimit(Int32Value.of(none ? 0 : Math.min(count, limit.orElse(count))));
        petrichor.entities.QueryResult found =
                datastore
                        .get()
                        .runQuery(
                                RunQueryRequest.newBuilder()
                                        .setProjectId(app.project())
                                        .setPartitionId(
                                                PartitionId.newBuilder()
                                                        .setProjectId(app.project())
                                                        .setNamespaceId(query.getNameSpace()))
                                        .setReadOptions(readOptions(app, query))
                                        .setQuery(v1)
                                        .build(),
                                BATCH_BYTES_MAX);
        QueryResultBatch batch = found.batch();
        boolean more = !none && more(batch, limit, found.hits().size());
        QueryResult.Builder result =
                QueryResult.newBuilder().setMoreResults(more).setKeysOnly(query.getKeysOnly());
        for (EntityHit hit : found.hits()) {
            add(query, hit, entities, result);
        }
        if (batch.getSkippedResults() > 0) {
            result.setSkippedResults(batch.getSkippedResults());
        }
        if (query.getCompile()) {
            compile(batch, result);
        }
        if (query.getPropertyNameCount() > 0) {
            result.setIndexOnly(true);
        }
        return new Batch(result, more ? rest(query, batch, limit, found.hits().size()) : null);
    }

    private static void compile(QueryResultBatch batch, QueryResult.Builder result) {
        result.setCompiledCursor(CompiledCursors.of(batch.getEndCursor().toByteArray()));
        if (batch.getSkippedResults() > 0) {
            result.setSkippedResultsCompiledCursor(
                    CompiledCursors.of(batch.getSkippedCursor().toByteArray()));
        }
    }

    private static void add(
            Query query, EntityHit hit, EntityTranslator entities, QueryResult.Builder result) {
        Entity entity = EntityTranslator.parse(hit.entity());
        if (query.getKeysOnly()) {
            result.addResult(entities.keyToV3(entity));
        } else if (query.getPropertyNameCount() > 0) {
            result.addResult(entities.projectionToV3(entity));
        } else {
            result.addResult(entities.toV3(entity)).addVersion(hit.version());
        }
        if (query.getCompile()) {
            result.addResultCompiledCursor(CompiledCursors.of(hit.cursor()));
        }
    }

    private ReadOptions readOptions(CallingApp app, Query query) {
        if (!query.hasTransaction() && query.hasReadTimeUs()) {
            return ReadOptions.newBuilder()
                    .setReadTime(ValueCodec.timestamp(query.getReadTimeUs()))
                    .build();
        }
        return transactions.readOptions(app, query.hasTransaction(), query.getTransaction());
    }

    private static boolean more(QueryResultBatch batch, OptionalInt limit, int results) {
        return switch (batch.getMoreResults()) {
            case NOT_FINISHED -> limit.isEmpty() || limit.getAsInt() > results || skipping(batch);
            case MORE_RESULTS_AFTER_LIMIT -> limit.isEmpty() || limit.getAsInt() > results;
            case MORE_RESULTS_AFTER_CURSOR,
                    NO_MORE_RESULTS,
                    MORE_RESULTS_TYPE_UNSPECIFIED,
                    UNRECOGNIZED ->
                    false;
        };
    }

    /** Whether the batch ended before it had skipped all results of the offset. */
    private static boolean skipping(QueryResultBatch batch) {
        return batch.getMoreResults() == QueryResultBatch.MoreResultsType.NOT_FINISHED
                && batch.getSkippedResults() > 0
                && batch.getEndCursor().equals(batch.getSkippedCursor());
    }

    private static Query rest(Query query, QueryResultBatch batch, OptionalInt limit, int results) {
        Query.Builder rest =
                query.toBuilder()
                        .setCompiledCursor(CompiledCursors.of(batch.getEndCursor().toByteArray()))
                        .setOffset(query.getOffset() - batch.getSkippedResults());
        if (limit.isPresent()) {
            rest.setLimit(limit.getAsInt() - results);
        }
        if (!query.hasTransaction()) {
            rest.setReadTimeUs(batch.getSnapshotVersion());
        }
        return rest.build();
    }

    Integer64Proto count(CallingApp app, Query query) {
        AppId id = AppId.of(app, query.getApp());
        long skipped = query.getOffset();
        long limit = query.hasLimit() ? query.getLimit() : Long.MAX_VALUE - skipped;
        AggregationQuery.Builder counting =
                AggregationQuery.newBuilder().setNestedQuery(new QueryTranslator(id).toV1(query));
        counting.addAggregationsBuilder()
                .setAlias(COUNT)
                .getCountBuilder()
                .setUpTo(Int64Value.of(Math.max(1, skipped + limit)));
        long found =
                datastore
                        .get()
                        .runAggregationQuery(
                                RunAggregationQueryRequest.newBuilder()
                                        .setProjectId(app.project())
                                        .setPartitionId(
                                                PartitionId.newBuilder()
                                                        .setProjectId(app.project())
                                                        .setNamespaceId(query.getNameSpace()))
                                        .setReadOptions(readOptions(app, query))
                                        .setAggregationQuery(counting)
                                        .build())
                        .getBatch()
                        .getAggregationResults(0)
                        .getAggregatePropertiesOrThrow(COUNT)
                        .getIntegerValue();
        return Integer64Proto.newBuilder()
                .setValue(Math.min(limit, Math.max(0, found - skipped)))
                .build();
    }
}
