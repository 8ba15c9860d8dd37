package petrichor.entities.query;

import com.google.datastore.v1.EntityResult.ResultType;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.protobuf.ByteString;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.entities.EntityHit;
import petrichor.entities.ValueCodec;
import petrichor.transactions.RowReader;

/**
 * Produces one batch of a query's results: applies start cursor, offset, limit, end cursor, and the
 * limits of a batch. Confined to one thread.
 */
final class BatchRun {
    /** Further results follow in more batches. */
    static final int ENTITIES_PER_BATCH_MAX = 300;

    /** Keys and projections are small, and need no entity reads. */
    static final int ROWS_PER_BATCH_MAX = 1000;

    /** A larger offset is processed over several batches. */
    static final int SKIPPED_PER_BATCH_MAX = 50_000;

    /** How often a walk looks whether its client still waits. */
    private final Query query;

    private final Shape shape;
    private final RowReader reader;
    private final Results results;
    private final @Nullable Point start;
    private final @Nullable Point until;
    private @Nullable Point last;

    record Batch(QueryResultBatch batch, List<EntityHit> hits) {}

    /**
     * @param bytesMax encoded size of the results
     */
    BatchRun(
            Query query,
            Shape shape,
            PartitionId partition,
            RowReader reader,
            int bytesMax,
            Work work) {
        this.query = query;
        this.shape = shape;
        this.reader = reader;
        this.results = new Results(shape, partition, reader, bytesMax, work);
        Point from = cursor(query.getStartCursor(), "start_cursor");
        this.start = from == null || from.isStart() ? null : from;
        this.until = cursor(query.getEndCursor(), "end_cursor");
        this.last = start;
    }

    private @Nullable Point cursor(ByteString cursor, String field) {
        return cursor.isEmpty() ? null : Cursor.point(cursor, shape, field);
    }

    /** Where the walk starts; null for the start of the query. */
    @Nullable Point start() {
        return start;
    }

    Batch run(Walk walk) {
        QueryResultBatch.Builder batch = QueryResultBatch.newBuilder();
        MoreResultsType more = fill(walk, batch);
        if (results.complete()) {
            // Entities were read ahead that do not fit into the response: it ends before them.
            more = MoreResultsType.NOT_FINISHED;
            last = Point.after(results.lastPosition());
        }
        List<EntityHit> hits = results.hits();
        byte[] endCursor = Cursor.of(shape.fingerprint(), last);
        return new Batch(
                batch.setEntityResultType(resultType(shape.results()))
                        .setMoreResults(more)
                        .setEndCursor(ByteString.copyFrom(endCursor))
                        .setSnapshotVersion(reader.version())
                        .setReadTime(ValueCodec.timestamp(reader.version()))
                        .build(),
                hits);
    }

    private MoreResultsType fill(Walk walk, QueryResultBatch.Builder batch) {
        int limit = query.hasLimit() ? query.getLimit().getValue() : Integer.MAX_VALUE;
        int offset = query.getOffset();
        int skipped = 0;
        MoreResultsType more = MoreResultsType.NO_MORE_RESULTS;
        while (walk.next()) {
            if (until != null && until.isBefore(walk.position())) {
                more = MoreResultsType.MORE_RESULTS_AFTER_CURSOR;
                break;
            }
            if (skipped < offset) {
                if (skipped == SKIPPED_PER_BATCH_MAX) {
                    more = MoreResultsType.NOT_FINISHED;
                    break;
                }
                skipped++;
                last = Point.after(walk.position());
                batch.setSkippedResults(skipped)
                        .setSkippedCursor(
                                ByteString.copyFrom(Cursor.of(shape.fingerprint(), last)));
                continue;
            }
            if (results.count() == limit) {
                more = MoreResultsType.MORE_RESULTS_AFTER_LIMIT;
                break;
            }
            if (isFull()) {
                more = MoreResultsType.NOT_FINISHED;
                break;
            }
            results.add(walk);
            last = Point.after(walk.position());
        }
        return more;
    }

    private boolean isFull() {
        if (results.pendingCount() >= results.entitiesPerRead()) {
            results.complete();
        }
        int max =
                shape.results() == Shape.Results.ENTITIES
                        ? ENTITIES_PER_BATCH_MAX
                        : ROWS_PER_BATCH_MAX;
        return results.count() >= max || results.isFull();
    }

    static ResultType resultType(Shape.Results results) {
        return switch (results) {
            case ENTITIES -> ResultType.FULL;
            case PROJECTIONS -> ResultType.PROJECTION;
            case KEYS -> ResultType.KEY_ONLY;
        };
    }
}
