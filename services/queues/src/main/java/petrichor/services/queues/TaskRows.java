package petrichor.services.queues;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.services.queues.QueueRows.Due;
import petrichor.services.queues.stored.StoredState;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;

/**
 * The three rows of a task, and its tombstone, within a commit. The state represents the task: its
 * other rows are functions of it. Immutable.
 *
 * @param tombstoneMicros how long the name of a finished task cannot be used
 */
record TaskRows(long tombstoneMicros) {
    private static final byte[] NOTHING = {};

    TaskRows(QueueLimits limits) {
        this(TaskCodec.micros(limits.tombstone()));
    }

    /** What the database has under a name. */
    sealed interface Found {
        record Live(TaskState state) implements Found {}

        record Tombstone(long untilMicros) implements Found {}

        record Nothing() implements Found {}
    }

    static Found find(RowReader reader, String queue, String name) {
        return found(reader.get(QueueRows.state(queue, name)));
    }

    private static Found found(@Nullable Row row) {
        if (row == null) {
            return new Found.Nothing();
        }
        StoredState stored = TaskCodec.state(row.value());
        return TaskCodec.isTombstone(stored)
                ? new Found.Tombstone(stored.getTombstoneUntilMicros())
                : new Found.Live(TaskCodec.state(stored));
    }

    /** The task of this name, unless it is gone. */
    static Optional<Task> read(RowReader reader, String queue, String name) {
        return Optional.ofNullable(read(reader, queue, List.of(name)).getFirst());
    }

    /** The tasks of these names; null for one that is gone. */
    static List<@Nullable Task> read(RowReader reader, String queue, List<String> names) {
        List<byte[]> keys = new ArrayList<>(2 * names.size());
        for (String name : names) {
            keys.add(QueueRows.state(queue, name));
            keys.add(QueueRows.content(queue, name));
        }
        List<@Nullable Row> rows = reader.get(keys);
        List<@Nullable Task> tasks = new ArrayList<>(names.size());
        for (int i = 0; i < names.size(); i++) {
            Row content = rows.get(2 * i + 1);
            tasks.add(
                    content != null && found(rows.get(2 * i)) instanceof Found.Live(var state)
                            ? new Task(
                                    names.get(i),
                                    TaskCodec.content(content.value(), state.tag()),
                                    state)
                            : null);
        }
        return tasks;
    }

    /** The name must not be in use; a tombstone must have ended. */
    static void insert(RowEdits edits, Queue queue, Task task) {
        String name = task.name();
        if (find(edits.reader(), queue.name(), name) instanceof Found.Tombstone(long until)) {
            edits.removeDerived(QueueRows.tombstone(until, queue.name(), name));
        }
        edits.put(QueueRows.state(queue.name(), name), TaskCodec.bytes(task.state()));
        edits.addDerived(QueueRows.content(queue.name(), name), TaskCodec.bytes(task.content()));
        order(edits, queue, name, task.state());
    }

    private static void order(RowEdits edits, Queue queue, String name, TaskState state) {
        edits.addDerived(QueueRows.order(queue.name(), state.etaMicros(), name), NOTHING);
        if (queue.mode() == QueueMode.PULL) {
            edits.addDerived(
                    QueueRows.tagged(queue.name(), state.tag(), state.etaMicros(), name), NOTHING);
        }
    }

    private static void disorder(RowEdits edits, String queue, String name, TaskState state) {
        edits.removeDerived(QueueRows.order(queue, state.etaMicros(), name));
        edits.removeDerived(QueueRows.tagged(queue, state.tag(), state.etaMicros(), name));
    }

    /** Changes the state of a task. */
    static void change(
            RowEdits edits, Queue queue, String name, TaskState former, TaskState state) {
        edits.put(QueueRows.state(queue.name(), name), TaskCodec.bytes(state));
        if (former.etaMicros() != state.etaMicros()) {
            disorder(edits, queue.name(), name, former);
            order(edits, queue, name, state);
        }
    }

    /** Removes a task; a named one leaves a tombstone. */
    void remove(RowEdits edits, String queue, String name, TaskState state, long nowMicros) {
        byte[] key = QueueRows.state(queue, name);
        if (state.named() && tombstoneMicros > 0) {
            long until = nowMicros + tombstoneMicros;
            edits.put(key, TaskCodec.tombstone(until));
            edits.addDerived(QueueRows.tombstone(until, queue, name), NOTHING);
        } else {
            edits.remove(key);
        }
        edits.removeDerived(QueueRows.content(queue, name));
        disorder(edits, queue, name, state);
    }

    /** Where a task is in the order. */
    static Due due(Task task) {
        return new Due(task.state().etaMicros(), task.name());
    }
}
