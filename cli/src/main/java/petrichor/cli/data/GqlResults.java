package petrichor.cli.data;

import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.ExplainMetrics;
import com.google.datastore.v1.ExplainOptions;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.protobuf.Int32Value;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.client.DatabaseName;
import petrichor.client.DatastoreClient;

/**
 * Iterates over the results of a GQL query, page by page: the first response contains the parsed
 * query, with which the following pages are requested. Confined to one thread.
 */
final class GqlResults {
    private final DatastoreClient client;
    private final RunQueryRequest first;
    private @Nullable Query rest;
    private boolean started;
    private Query understood = Query.getDefaultInstance();
    private ExplainMetrics metrics = ExplainMetrics.getDefaultInstance();

    GqlResults(
            DatastoreClient client,
            DatabaseName database,
            String namespace,
            GqlQuery gql,
            Optional<ExplainOptions> options) {
        this.client = client;
        RunQueryRequest.Builder request =
                RunQueryRequest.newBuilder()
                        .setProjectId(database.project())
                        .setDatabaseId(database.database())
                        .setPartitionId(database.partition(namespace))
                        .setGqlQuery(gql);
        options.ifPresent(request::setExplainOptions);
        this.first = request.build();
    }

    /** Whether another page may follow. */
    boolean goesOn() {
        return !started || rest != null;
    }

    /** The query as the server parsed it; empty before the first page. */
    Query query() {
        return understood;
    }

    /** The metrics of the first page. */
    ExplainMetrics metrics() {
        return metrics;
    }

    /** The next page; empty at the end, and in rare cases before. */
    List<EntityResult> next() {
        if (!goesOn()) {
            return List.of();
        }
        RunQueryResponse answer =
                client.runQuery(
                        rest == null
                                ? first
                                : first.toBuilder()
                                        .clearExplainOptions()
                                        .clearGqlQuery()
                                        .setQuery(rest)
                                        .build());
        if (!started) {
            started = true;
            metrics = answer.getExplainMetrics();
            understood = answer.getQuery();
        }
        Query asked = rest == null ? answer.getQuery() : rest;
        QueryResultBatch batch = answer.getBatch();
        rest = batch.getMoreResults() == MoreResultsType.NOT_FINISHED ? rest(asked, batch) : null;
        return batch.getEntityResultsList();
    }

    private static Query rest(Query asked, QueryResultBatch batch) {
        Query.Builder rest =
                asked.toBuilder()
                        .setStartCursor(batch.getEndCursor())
                        .setOffset(Math.max(0, asked.getOffset() - batch.getSkippedResults()));
        if (asked.hasLimit()) {
            int left = asked.getLimit().getValue() - batch.getEntityResultsCount();
            rest.setLimit(Int32Value.of(Math.max(0, left)));
        }
        return rest.build();
    }
}
