package petrichor.services.queues;

import java.time.Duration;
import java.util.Optional;
import petrichor.services.queues.QueueRows.Due;

/** Tasks of cron jobs that are due, in the queue {@link Queue#CRON}. Pure functions. */
public final class CronTasks {
    private static final DispatchRate RATE = new DispatchRate(100, 100, 100);

    private CronTasks() {}

    /** Defines the queue, unless it exists. */
    public static void provideQueue(RowEdits edits) {
        if (QueueCatalog.find(edits.reader(), Queue.CRON).isEmpty()) {
            edits.put(QueueRows.definition(Queue.CRON), TaskCodec.bytes(queue()));
        }
    }

    private static Queue queue() {
        return Queue.push(Queue.CRON).withRate(RATE);
    }

    /**
     * Adds the task of a job, unless the previous one is still there.
     *
     * @param name the same for all runs of a job
     * @return its place in the queue
     */
    public static Optional<Due> add(
            RowEdits edits,
            String name,
            TaskWork.Push work,
            RetryPolicy retry,
            Duration deadline,
            long nowMicros) {
        if (TaskRows.find(edits.reader(), Queue.CRON, name) instanceof TaskRows.Found.Live) {
            return Optional.empty();
        }
        Task task =
                new Task(
                        name,
                        new Task.Content(work, nowMicros, Optional.of(retry), deadline),
                        new TaskState(nowMicros, TaskState.Attempts.NONE, false, new byte[0]));
        TaskRows.insert(edits, queue(), task);
        return Optional.of(TaskRows.due(task));
    }
}
