package petrichor.services.queues;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.services.queues.QueueRows.Due;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;

/**
 * Leases of tasks in pull queues. A leased task has the end of its lease as ETA, so it returns to
 * the queue by itself. Thread-safe.
 */
final class PullLeases {
    private final QueueCommits commits;
    private final QueueCatalog catalog;
    private final Exhaustion exhaustion;
    private final QueueLimits limits;
    private final TimeSource time;

    /** Workers that lease at the same time would conflict on the oldest tasks. */
    private final ConcurrentMap<String, ReentrantLock> turns = new ConcurrentHashMap<>();

    PullLeases(
            QueueCommits commits,
            QueueCatalog catalog,
            Exhaustion exhaustion,
            QueueLimits limits,
            TimeSource time) {
        this.commits = commits;
        this.catalog = catalog;
        this.exhaustion = exhaustion;
        this.limits = limits;
        this.time = time;
    }

    /** Which tasks a worker wants. */
    sealed interface Choice {
        /** The oldest tasks. */
        record Oldest() implements Choice {}

        /** The oldest tasks with a tag. */
        @SuppressWarnings("ArrayRecordComponent") // never compared
        record OfTag(byte[] tag) implements Choice {}

        /** The oldest tasks with the tag of the oldest task. */
        record OfOldestTag() implements Choice {}
    }

    List<Task> lease(String queueName, int count, Duration lease, Choice choice) {
        if (count < 1 || count > limits.tasksPerCallMax()) {
            throw PetrichorException.invalid(
                    "A call leases 1 to {max} tasks, not {count}.",
                    "max",
                    limits.tasksPerCallMax(),
                    "count",
                    count);
        }
        requireDuration(lease);
        ReentrantLock turn = turns.computeIfAbsent(queueName, _ -> new ReentrantLock());
        turn.lock();
        try {
            return commits.commit(
                    edits -> {
                        Queue queue = requirePull(edits, queueName);
                        return queue.paused()
                                ? List.of()
                                : leased(edits, queue, count, lease, choice);
                    });
        } finally {
            turn.unlock();
        }
    }

    private Queue requirePull(RowEdits edits, String queueName) {
        Queue queue = catalog.require(edits, queueName);
        if (queue.mode() != QueueMode.PULL) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The queue {queue} is a push queue; only tasks of pull queues can be leased.",
                    "queue",
                    queueName);
        }
        return queue;
    }

    private static void requireDuration(Duration lease) {
        if (lease.isNegative() || lease.compareTo(QueueLimits.LEASE_MAX) > 0) {
            throw PetrichorException.invalid(
                    "A lease lasts at most {max}, not {lease}.",
                    "max",
                    QueueLimits.LEASE_MAX,
                    "lease",
                    lease);
        }
    }

    private List<Task> leased(
            RowEdits edits, Queue queue, int count, Duration lease, Choice choice) {
        long now = time.epochMicros();
        List<Task> leased = new ArrayList<>();
        KeyRange range = range(edits.reader(), queue.name(), now, choice);
        if (range == null) {
            return leased;
        }
        boolean tagged = !(choice instanceof Choice.Oldest);
        long bytes = 0;
        try (RowCursor order = edits.reader().scan(range, Direction.FORWARD)) {
            while (leased.size() < count && bytes < TaskListing.ANSWER_BYTES_MAX && order.next()) {
                Due due =
                        tagged
                                ? QueueRows.dueOfTagged(order.key())
                                : QueueRows.dueOfOrder(order.key());
                Optional<Task> task = TaskRows.read(edits.reader(), queue.name(), due.task());
                if (task.isPresent()) {
                    Optional<Task> given = leased(edits, queue, task.get(), now, lease);
                    given.ifPresent(leased::add);
                    bytes += given.map(each -> each.work().bytes()).orElse(0);
                }
            }
        }
        return leased;
    }

    private static @Nullable KeyRange range(
            RowReader reader, String queue, long now, Choice choice) {
        return switch (choice) {
            case Choice.Oldest _ -> QueueRows.ordersUpTo(queue, now);
            case Choice.OfTag(byte[] tag) -> QueueRows.taggedUpTo(queue, tag, now);
            case Choice.OfOldestTag _ -> {
                byte[] tag = oldestTag(reader, queue, now);
                yield tag == null ? null : QueueRows.taggedUpTo(queue, tag, now);
            }
        };
    }

    private static byte @Nullable [] oldestTag(RowReader reader, String queue, long now) {
        try (RowCursor order = reader.scan(QueueRows.ordersUpTo(queue, now), Direction.FORWARD)) {
            while (order.next()) {
                String name = QueueRows.dueOfOrder(order.key()).task();
                if (TaskRows.find(reader, queue, name)
                        instanceof TaskRows.Found.Live(TaskState state)) {
                    return state.tag();
                }
            }
        }
        return null;
    }

    /** Empty if the task has been leased too often. */
    private Optional<Task> leased(
            RowEdits edits, Queue queue, Task task, long now, Duration lease) {
        TaskState.Attempts before = task.state().attempts();
        long first = before.firstMicros() == 0 ? now : before.firstMicros();
        int leases = before.retries() + 1;
        RetryPolicy policy = task.content().retry().orElse(queue.retry());
        if (before.retries() > 0 && !policy.allows(leases, TaskCodec.duration(now - first))) {
            var _ = exhaustion.apply(edits, queue, task, before, now);
            return Optional.empty();
        }
        TaskState state =
                new TaskState(
                        now + TaskCodec.micros(lease),
                        new TaskState.Attempts(leases, before.executions(), first, now, 0),
                        task.state().named(),
                        task.state().tag());
        TaskRows.change(edits, queue, task.name(), task.state(), state);
        return Optional.of(new Task(task.name(), task.content(), state));
    }

    /**
     * Changes the end of a lease.
     *
     * @param etaMicros the end that the worker knows
     * @param lease from now on; zero returns the task to the queue
     */
    LeaseResult modify(String queueName, String name, long etaMicros, Duration lease) {
        requireDuration(lease);
        return commits.commit(
                edits -> {
                    Queue queue = requirePull(edits, queueName);
                    long now = time.epochMicros();
                    if (!(TaskRows.find(edits.reader(), queueName, name)
                            instanceof TaskRows.Found.Live(TaskState state))) {
                        return new LeaseResult.Unknown();
                    }
                    if (state.etaMicros() != etaMicros || etaMicros <= now) {
                        return new LeaseResult.Expired();
                    }
                    long end = now + TaskCodec.micros(lease);
                    TaskRows.change(edits, queue, name, state, state.at(end));
                    return new LeaseResult.Changed(end);
                });
    }
}
