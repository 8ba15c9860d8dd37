package petrichor.services.queues;

import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * What happens to a task whose retries are exhausted: it moves to the queue of dead letters of its
 * queue, where its attempts start from zero, or is dropped with a warning in the log. Thread-safe.
 */
final class Exhaustion {
    private static final System.Logger LOG = System.getLogger(Exhaustion.class.getName());

    private final TaskRows rows;
    private final String project;
    private final LongAdder dropped = new LongAdder();
    private final LongAdder moved = new LongAdder();

    Exhaustion(TaskRows rows, String project) {
        this.rows = rows;
        this.project = project;
    }

    /** Tasks that were dropped. */
    long dropped() {
        return dropped.sum();
    }

    /** Tasks that moved to a queue of dead letters. */
    long moved() {
        return moved.sum();
    }

    /**
     * Moves or drops a task.
     *
     * @param attempts including the last one
     * @return the queue to which it moved
     */
    Optional<String> apply(
            RowEdits edits, Queue queue, Task task, TaskState.Attempts attempts, long nowMicros) {
        rows.remove(edits, queue.name(), task.name(), task.state(), nowMicros);
        Optional<Queue> letters =
                queue.routing().deadLetters().isEmpty()
                        ? Optional.empty()
                        : QueueCatalog.find(edits.reader(), queue.routing().deadLetters())
                                .filter(other -> other.mode() == queue.mode());
        if (letters.isEmpty()
                || !(TaskRows.find(edits.reader(), letters.get().name(), task.name())
                        instanceof TaskRows.Found.Nothing)) {
            dropped.increment();
            LOG.log(
                    Level.WARNING,
                    "The task {0} of the queue {1} of {2} was dropped: its retries are exhausted"
                            + " after {3} attempts, the last with HTTP status {4}.",
                    task.name(),
                    queue.name(),
                    project,
                    String.valueOf(attempts.retries()),
                    String.valueOf(attempts.lastStatus()));
            return Optional.empty();
        }
        moved.increment();
        TaskState state =
                new TaskState(
                        nowMicros,
                        TaskState.Attempts.NONE,
                        task.state().named(),
                        task.state().tag());
        TaskRows.insert(edits, letters.get(), new Task(task.name(), task.content(), state));
        return Optional.of(letters.get().name());
    }
}
