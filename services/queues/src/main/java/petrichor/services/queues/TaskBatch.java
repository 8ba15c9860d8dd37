package petrichor.services.queues;

import java.util.List;
import petrichor.transactions.RowWrite;

/**
 * Tasks that are added by the commit of a transaction, with its entities or not at all.
 *
 * @param tasks with the random names that they will have
 * @param rows to be written by the transaction; their keys are new
 * @param committed to be called after the commit, so that the tasks run without delay; does not
 *     block. A task whose transaction committed runs even if this is never called
 */
public record TaskBatch(List<Task> tasks, List<RowWrite> rows, Runnable committed) {
    public TaskBatch {
        tasks = List.copyOf(tasks);
        rows = List.copyOf(rows);
    }
}
