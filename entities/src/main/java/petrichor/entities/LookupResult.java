package petrichor.entities;

import com.google.datastore.v1.Key;
import com.google.protobuf.ByteString;
import java.util.List;

/**
 * Content of a LookupResponse.
 *
 * @param transaction id of the transaction that {@code new_transaction} started; empty otherwise
 * @param readTime microseconds since 1970
 */
public record LookupResult(
        List<EntityHit> found,
        List<EntityHit> missing,
        List<Key> deferred,
        ByteString transaction,
        long readTime) {}
