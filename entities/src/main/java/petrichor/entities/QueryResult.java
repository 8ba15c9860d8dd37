package petrichor.entities;

import com.google.datastore.v1.ExplainMetrics;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.protobuf.ByteString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Content of a RunQueryResponse.
 *
 * @param batch the batch without its entity_results
 * @param hits the entity_results
 * @param query the query as parsed from GQL; null for other queries
 * @param transaction id of the transaction that {@code new_transaction} started; empty otherwise
 * @param explain null unless requested; with a plan only, {@code hits} is empty
 */
public record QueryResult(
        QueryResultBatch batch,
        List<EntityHit> hits,
        @Nullable Query query,
        ByteString transaction,
        @Nullable ExplainMetrics explain) {}
