package petrichor.frontends.appengine.datastore;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddRequest;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceError;

/**
 * The task queue, as the datastore sees it: turns tasks that an app adds to a transaction into rows
 * of the transaction's commit. Thread-safe.
 */
@FunctionalInterface
public interface TransactionalActions {
    /** For a server without task queues. */
    TransactionalActions NONE =
            (_, _) -> {
                throw V3Error.badRequest("This server has no task queues.");
            };

    /**
     * Checks the tasks and computes their rows. Nothing may happen if the transaction does not
     * commit.
     *
     * @param tasks without transactions
     * @throws ServiceError if the tasks cannot be added
     */
    TransactionalWork prepare(CallingApp app, TaskQueueBulkAddRequest tasks);
}
