package petrichor.jobs.entities;

import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.protobuf.Int32Value;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatastoreClient;
import petrichor.jobs.entities.QuerySource.Part;
import petrichor.jobs.jobgraph.Source.SplitReader;
import petrichor.jobs.records.Out;

/**
 * Reads a part of a query page by page, and prefetches the next page while one is emitted. Belongs
 * to one thread.
 */
final class QueryReader implements SplitReader {
    private final QuerySource source;
    private final DatastoreClient client;
    private final EntityToRecord toRecord;
    private @Nullable FutureTask<QueryResultBatch> next;
    private Query rest;
    private String position = "its start";

    QueryReader(QuerySource source, Part part) {
        this.source = source;
        this.client = source.database().connect();
        this.toRecord = new EntityToRecord(source.type());
        var query = source.query().toBuilder();
        if (!part.after().isEmpty()) {
            query.setStartCursor(part.after());
        }
        if (!part.to().isEmpty()) {
            query.setEndCursor(part.to());
        }
        this.rest = query.build();
        this.next = fetch();
    }

    @Override
    public boolean read(Out out) {
        if (next == null) {
            return false;
        }
        var page = await(next);
        next = goesOn(page) ? fetchAfter(page) : null;
        for (var result : page.getEntityResultsList()) {
            var entity = result.getEntity();
            position = EntityToRecord.shown(entity);
            toRecord.emit(entity, out);
        }
        return next != null;
    }

    /** A page may be shorter than requested; only these states mark the last one. */
    private static boolean goesOn(QueryResultBatch page) {
        return switch (page.getMoreResults()) {
            case NO_MORE_RESULTS, MORE_RESULTS_AFTER_CURSOR, MORE_RESULTS_AFTER_LIMIT -> false;
            case NOT_FINISHED, MORE_RESULTS_TYPE_UNSPECIFIED, UNRECOGNIZED -> true;
        };
    }

    private FutureTask<QueryResultBatch> fetchAfter(QueryResultBatch page) {
        var query = rest.toBuilder().setStartCursor(page.getEndCursor());
        query.setOffset(rest.getOffset() - page.getSkippedResults());
        if (rest.hasLimit()) {
            int left = rest.getLimit().getValue() - page.getEntityResultsCount();
            query.setLimit(Int32Value.of(left));
        }
        rest = query.build();
        return fetch();
    }

    private FutureTask<QueryResultBatch> fetch() {
        var asked = rest;
        var fetching = new FutureTask<>(() -> source.ask(client, asked));
        Thread.ofVirtual().name("page of " + source.name()).start(fetching);
        return fetching;
    }

    private QueryResultBatch await(FutureTask<QueryResultBatch> page) {
        try {
            return page.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof PetrichorException petrichor) {
                throw petrichor;
            }
            throw new IllegalStateException(failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    interrupted,
                    "reading {source} was interrupted",
                    "source",
                    source.name());
        }
    }

    @Override
    public String position() {
        return position;
    }

    @Override
    public void close() {
        client.close();
    }
}
