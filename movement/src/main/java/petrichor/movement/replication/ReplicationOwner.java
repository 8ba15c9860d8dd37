package petrichor.movement.replication;

import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;

/**
 * The server that owns a database, as replication calls it. Thread-safe; calls block. Requests are
 * idempotent, so an implementation may repeat one whose outcome it does not know.
 */
@FunctionalInterface
public interface ReplicationOwner {
    ReplicationResponse ask(ReplicationRequest request);
}
