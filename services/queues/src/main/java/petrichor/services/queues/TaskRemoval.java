package petrichor.services.queues;

import java.util.ArrayList;
import java.util.List;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/** Removes tasks that were not executed, and tombstones that have ended. Thread-safe. */
final class TaskRemoval {
    /** Tasks per commit of a purge. */
    static final int TASKS_PER_COMMIT = 500;

    private final QueueCommits commits;
    private final TaskRows rows;
    private final TimeSource time;

    TaskRemoval(QueueCommits commits, TaskRows rows, TimeSource time) {
        this.commits = commits;
        this.rows = rows;
        this.time = time;
    }

    List<DeleteResult> delete(String queue, List<String> names) {
        return commits.commit(
                edits -> {
                    List<DeleteResult> results = new ArrayList<>(names.size());
                    for (String name : names) {
                        results.add(
                                switch (TaskRows.find(edits.reader(), queue, name)) {
                                    case TaskRows.Found.Live(TaskState state) -> {
                                        rows.remove(edits, queue, name, state, time.epochMicros());
                                        yield DeleteResult.DELETED;
                                    }
                                    case TaskRows.Found.Tombstone(long until)
                                            when until > time.epochMicros() ->
                                            DeleteResult.TOMBSTONED;
                                    case TaskRows.Found.Tombstone _, TaskRows.Found.Nothing _ ->
                                            DeleteResult.UNKNOWN;
                                });
                    }
                    return results;
                });
    }

    /** Deletes all tasks that exist now, in several commits. */
    void purge(String queue) {
        KeyRange rest = QueueRows.states(queue);
        while (true) {
            List<String> names = new ArrayList<>();
            try (Snapshot snapshot = commits.database().snapshot();
                    RowCursor states = snapshot.scan(rest, Direction.FORWARD)) {
                while (names.size() < TASKS_PER_COMMIT && states.next()) {
                    if (!TaskCodec.isTombstone(TaskCodec.state(states.value()))) {
                        names.add(QueueRows.taskOfState(states.key()));
                    }
                }
            }
            if (names.isEmpty()) {
                return;
            }
            delete(queue, names);
            rest = new KeyRange(QueueRows.state(queue, names.getLast() + "\0"), rest.to());
        }
    }

    /**
     * Removes tombstones that have ended.
     *
     * @return whether there may be more
     */
    boolean forgetTombstones() {
        List<byte[]> ended = new ArrayList<>();
        try (Snapshot snapshot = commits.database().snapshot();
                RowCursor tombstones =
                        snapshot.scan(
                                QueueRows.tombstonesUpTo(time.epochMicros()), Direction.FORWARD)) {
            while (ended.size() < TASKS_PER_COMMIT && tombstones.next()) {
                ended.add(tombstones.key());
            }
        }
        if (ended.isEmpty()) {
            return false;
        }
        return commits.commit(
                edits -> {
                    for (byte[] key : ended) {
                        String[] task = QueueRows.taskOfTombstone(key);
                        if (TaskRows.find(edits.reader(), task[0], task[1])
                                        instanceof TaskRows.Found.Tombstone(long until)
                                && until <= time.epochMicros()) {
                            edits.remove(QueueRows.state(task[0], task[1]));
                        }
                        edits.removeDerived(key);
                    }
                    return ended.size() == TASKS_PER_COMMIT;
                });
    }
}
