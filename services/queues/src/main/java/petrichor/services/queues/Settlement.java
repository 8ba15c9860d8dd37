package petrichor.services.queues;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.base.TimeSource;
import petrichor.services.queues.QueueRows.Due;

/** Records the outcomes of deliveries, many in one commit. Thread-safe. */
public final class Settlement {
    private final QueueCommits commits;
    private final TaskRows rows;
    private final Exhaustion exhaustion;
    private final TimeSource time;

    Settlement(QueueCommits commits, TaskRows rows, Exhaustion exhaustion, TimeSource time) {
        this.commits = commits;
        this.rows = rows;
        this.exhaustion = exhaustion;
        this.time = time;
    }

    /**
     * The end of one delivery.
     *
     * @param status HTTP status of the answer; 0 if there was none
     * @param succeeded whether the task is done
     * @param startedMicros when the delivery started, microseconds since 1970
     */
    public record Attempt(
            String queue, String task, int status, boolean succeeded, long startedMicros) {}

    /**
     * A task that is still in a queue.
     *
     * @param queue its own, or the queue of dead letters to which it moved
     */
    public record Result(String queue, Due due) {}

    /** Tasks that were deleted meanwhile are ignored. */
    List<Result> settle(List<Attempt> attempts) {
        return commits.commit(
                edits -> {
                    List<Result> results = new ArrayList<>();
                    for (Attempt attempt : attempts) {
                        if (TaskRows.find(edits.reader(), attempt.queue(), attempt.task())
                                instanceof TaskRows.Found.Live(TaskState state)) {
                            settle(edits, attempt, state).ifPresent(results::add);
                        }
                    }
                    return results;
                });
    }

    private Optional<Result> settle(RowEdits edits, Attempt attempt, TaskState state) {
        long now = time.epochMicros();
        String name = attempt.task();
        if (attempt.succeeded()) {
            rows.remove(edits, attempt.queue(), name, state, now);
            return Optional.empty();
        }
        Optional<Queue> queue = QueueCatalog.find(edits.reader(), attempt.queue());
        Optional<Task> task = TaskRows.read(edits.reader(), attempt.queue(), name);
        if (queue.isEmpty() || task.isEmpty()) {
            return Optional.empty();
        }
        TaskState.Attempts before = state.attempts();
        long first = before.firstMicros() == 0 ? attempt.startedMicros() : before.firstMicros();
        TaskState.Attempts after =
                new TaskState.Attempts(
                        before.retries() + 1,
                        before.executions() + (attempt.status() == 0 ? 0 : 1),
                        first,
                        now,
                        attempt.status());
        RetryPolicy policy = task.get().content().retry().orElse(queue.get().retry());
        long eta = now + TaskCodec.micros(policy.backoff(after.retries()));
        TaskState next = new TaskState(eta, after, state.named(), state.tag());
        if (!policy.allows(after.retries(), TaskCodec.duration(Math.max(0, now - first)))) {
            Task failed = new Task(name, task.get().content(), state);
            return exhaustion
                    .apply(edits, queue.get(), failed, after, now)
                    .map(letters -> new Result(letters, new Due(now, name)));
        }
        TaskRows.change(edits, queue.get(), name, state, next);
        return Optional.of(new Result(attempt.queue(), new Due(eta, name)));
    }
}
