package petrichor.services.queues;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.services.queues.QueueRows.Due;
import petrichor.transactions.Database;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/** Reads tasks without changing them. Thread-safe. */
final class TaskListing {
    /** Tasks that statistics count per queue; a larger queue counts as this many. */
    static final int COUNT_MAX = 100_000;

    /** Of the tasks in one answer: what App Engine's SDKs accept. Ends an answer early. */
    static final long ANSWER_BYTES_MAX = 30L << 20;

    private final Database database;

    TaskListing(Database database) {
        this.database = database;
    }

    /** Tasks that are read until their number or their bytes reach a limit. */
    private static final class Answer {
        private final int max;
        private final List<Task> tasks = new ArrayList<>();
        private long bytes;

        Answer(int max) {
            this.max = max;
        }

        boolean acceptsMore() {
            Cancellation.checkCurrent();
            return tasks.size() < max && bytes < ANSWER_BYTES_MAX;
        }

        void add(Task task) {
            tasks.add(task);
            bytes += task.work().bytes();
        }
    }

    Optional<Task> find(String queue, String name) {
        try (Snapshot snapshot = database.snapshot()) {
            return TaskRows.read(snapshot, queue, name);
        }
    }

    /** Tasks in order of their names, from this name on. */
    List<Task> byName(String queue, String from, int max) {
        Answer answer = new Answer(max);
        try (Snapshot snapshot = database.snapshot();
                RowCursor states =
                        snapshot.scan(QueueRows.statesFrom(queue, from), Direction.FORWARD)) {
            while (answer.acceptsMore() && states.next()) {
                TaskRows.read(snapshot, queue, QueueRows.taskOfState(states.key()))
                        .ifPresent(answer::add);
            }
        }
        return answer.tasks;
    }

    /** Tasks in the order of dispatch, from this place on. */
    List<Task> byEta(String queue, Due from, int max) {
        Answer answer = new Answer(max);
        try (Snapshot snapshot = database.snapshot();
                RowCursor order =
                        snapshot.scan(QueueRows.ordersFrom(queue, from), Direction.FORWARD)) {
            while (answer.acceptsMore() && order.next()) {
                TaskRows.read(snapshot, queue, QueueRows.dueOfOrder(order.key()).task())
                        .ifPresent(answer::add);
            }
        }
        return answer.tasks;
    }

    /** Places in the order of dispatch, from this one on. */
    List<Due> order(String queue, @Nullable Due from, int max) {
        KeyRange range = from == null ? QueueRows.orders(queue) : QueueRows.ordersFrom(queue, from);
        List<Due> due = new ArrayList<>();
        try (Snapshot snapshot = database.snapshot();
                RowCursor order = snapshot.scan(range, Direction.FORWARD)) {
            while (due.size() < max && order.next()) {
                due.add(QueueRows.dueOfOrder(order.key()));
            }
        }
        return due;
    }

    /** Tasks with a tag, oldest first. */
    List<Task> byTag(String queue, byte[] tag, int max) {
        Answer answer = new Answer(max);
        try (Snapshot snapshot = database.snapshot();
                RowCursor order = snapshot.scan(QueueRows.tagged(queue, tag), Direction.FORWARD)) {
            while (answer.acceptsMore() && order.next()) {
                TaskRows.read(snapshot, queue, QueueRows.dueOfTagged(order.key()).task())
                        .ifPresent(answer::add);
            }
        }
        return answer.tasks;
    }

    /**
     * How many tasks a queue has.
     *
     * @param oldestEtaMicros 0 if it has none
     */
    record Count(int tasks, long oldestEtaMicros) {}

    Count count(String queue) {
        return count(queue, COUNT_MAX);
    }

    /** How many tasks a queue has, up to a number. */
    Count count(String queue, long most) {
        int tasks = 0;
        long oldest = 0;
        try (Snapshot snapshot = database.snapshot();
                RowCursor order = snapshot.scan(QueueRows.orders(queue), Direction.FORWARD)) {
            while (tasks < most && order.next()) {
                if (tasks == 0) {
                    oldest = QueueRows.dueOfOrder(order.key()).etaMicros();
                }
                tasks++;
                Cancellation.checkCurrent();
            }
        }
        return new Count(tasks, oldest);
    }
}
