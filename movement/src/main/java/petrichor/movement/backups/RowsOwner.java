package petrichor.movement.backups;

import petrichor.rpc.v1.RowsRequest;
import petrichor.rpc.v1.RowsResponse;

/**
 * The server that owns a database, as backups and restores call it. Thread-safe; calls block.
 * Requests are idempotent, so an implementation may repeat one whose outcome it does not know.
 */
@FunctionalInterface
public interface RowsOwner {
    RowsResponse ask(RowsRequest request);
}
