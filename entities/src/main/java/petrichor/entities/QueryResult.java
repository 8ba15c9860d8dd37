package petrichor.entities;

import com.google.datastore.v1.ExplainMetrics;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.protobuf.ByteString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a RunQueryResponse says.
 *
 * @param batch everything of the batch but its entity_results
 * @param hits the entity_results
 * @param query the query as parsed from GQL; null if it was no GQL query
 * @param transaction id of the transaction that {@code new_transaction} began; empty otherwise
 * @param explain null unless asked for; with a plan only, {@code hits} is empty
 */
public record QueryResult(
        QueryResultBatch batch,
        List<EntityHit> hits,
        @Nullable Query query,
        ByteString transaction,
        @Nullable ExplainMetrics explain) {}
