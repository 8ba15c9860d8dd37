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
import petrichor.transactions.RowReader;
import petrichor.transactions.Snapshot;

/** Reads tasks without changing them. Thread-safe. */
final class TaskListing {
    /** Tasks that statistics count per queue; a larger queue counts as this many. */
    static final int COUNT_MAX = 100_000;

    private final Database database;

    TaskListing(Database database) {
        this.database = database;
    }

    Optional<Task> find(String queue, String name) {
        try (Snapshot snapshot = database.snapshot()) {
            return TaskRows.read(snapshot, queue, name);
        }
    }

    /** Tasks in order of their names, from this name on. */
    List<Task> byName(String queue, String from, int max) {
        List<Task> tasks = new ArrayList<>();
        try (Snapshot snapshot = database.snapshot();
                RowCursor states =
                        snapshot.scan(QueueRows.statesFrom(queue, from), Direction.FORWARD)) {
            while (tasks.size() < max && states.next()) {
                TaskRows.read(snapshot, queue, QueueRows.taskOfState(states.key()))
                        .ifPresent(tasks::add);
            }
        }
        return tasks;
    }

    /** Tasks in the order of dispatch, from this place on. */
    List<Task> byEta(String queue, Due from, int max) {
        List<Task> tasks = new ArrayList<>();
        try (Snapshot snapshot = database.snapshot()) {
            read(snapshot, queue, QueueRows.ordersFrom(queue, from), max, tasks);
        }
        return tasks;
    }

    private static void read(
            RowReader reader, String queue, KeyRange range, int max, List<Task> into) {
        try (RowCursor order = reader.scan(range, Direction.FORWARD)) {
            while (into.size() < max && order.next()) {
                TaskRows.read(reader, queue, QueueRows.dueOfOrder(order.key()).task())
                        .ifPresent(into::add);
            }
        }
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
        List<Task> tasks = new ArrayList<>();
        try (Snapshot snapshot = database.snapshot();
                RowCursor order = snapshot.scan(QueueRows.tagged(queue, tag), Direction.FORWARD)) {
            while (tasks.size() < max && order.next()) {
                TaskRows.read(snapshot, queue, QueueRows.dueOfTagged(order.key()).task())
                        .ifPresent(tasks::add);
            }
        }
        return tasks;
    }

    /**
     * How many tasks a queue has.
     *
     * @param oldestEtaMicros 0 if it has none
     */
    record Count(int tasks, long oldestEtaMicros) {}

    Count count(String queue) {
        int tasks = 0;
        long oldest = 0;
        try (Snapshot snapshot = database.snapshot();
                RowCursor order = snapshot.scan(QueueRows.orders(queue), Direction.FORWARD)) {
            while (tasks < COUNT_MAX && order.next()) {
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
