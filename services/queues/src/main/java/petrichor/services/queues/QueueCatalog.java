package petrichor.services.queues;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import petrichor.base.ErrorCode;
import petrichor.base.NearestName;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.Snapshot;

/** The definitions of a project's queues. Thread-safe. */
final class QueueCatalog {
    private final QueueCommits commits;
    private final QueueLimits limits;
    private final QueueListener listener;

    QueueCatalog(QueueCommits commits, QueueLimits limits, QueueListener listener) {
        this.commits = commits;
        this.limits = limits;
        this.listener = listener;
    }

    List<Queue> all() {
        try (Snapshot snapshot = commits.database().snapshot()) {
            return all(snapshot);
        }
    }

    private static List<Queue> all(RowReader reader) {
        List<Queue> queues = new ArrayList<>();
        try (RowCursor rows = reader.scan(QueueRows.definitions(), Direction.FORWARD)) {
            while (rows.next()) {
                queues.add(TaskCodec.queue(QueueRows.queueOfDefinition(rows.key()), rows.value()));
            }
        }
        return queues;
    }

    Optional<Queue> find(String name) {
        try (Snapshot snapshot = commits.database().snapshot()) {
            return find(snapshot, name);
        }
    }

    /** NOT_FOUND if there is none. */
    Queue existing(String name) {
        try (Snapshot snapshot = commits.database().snapshot()) {
            return find(snapshot, name)
                    .filter(queue -> !reserved(name))
                    .orElseThrow(() -> unknown(snapshot, name));
        }
    }

    static Optional<Queue> find(RowReader reader, String name) {
        Row row = reader.get(QueueRows.definition(name));
        return row == null ? Optional.empty() : Optional.of(TaskCodec.queue(name, row.value()));
    }

    /** The queues that apps can use. */
    List<Queue> ofApps() {
        return all().stream().filter(queue -> !queue.name().equals(Queue.CRON)).toList();
    }

    private static boolean reserved(String name) {
        return name.equals(Queue.CRON);
    }

    /** The queue, as of a commit that fails if the queue changes; NOT_FOUND if there is none. */
    Queue require(RowEdits edits, String name) {
        Row row = edits.require(QueueRows.definition(name));
        if (row == null || reserved(name)) {
            throw unknown(edits.reader(), name);
        }
        return TaskCodec.queue(name, row.value());
    }

    private static PetrichorException unknown(RowReader reader, String name) {
        List<String> names = all(reader).stream().map(Queue::name).toList();
        Optional<String> nearest = NearestName.closeTo(name, names);
        if (nearest.isPresent()) {
            return PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "The project has no queue {queue}; did you mean {nearest}?",
                    "queue",
                    name,
                    "nearest",
                    nearest.get());
        }
        return PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "The project has no queue {queue}; define it in queue.yaml or through the API.",
                "queue",
                name);
    }

    /** Creates the queue {@code default} if a call asks for it and it does not exist. */
    void provide(String name) {
        if (name.equals(Queue.DEFAULT) && find(name).isEmpty()) {
            var _ = create(Queue.push(name));
        }
    }

    /** Creates or replaces queues. */
    void define(List<Queue> queues) {
        var _ = put(queues, true);
    }

    /** Returns false, and nothing changes, if the queue exists. */
    boolean create(Queue queue) {
        return !put(List.of(queue), false).isEmpty();
    }

    private List<String> put(List<Queue> queues, boolean replace) {
        List<String> written =
                commits.commit(
                        edits -> {
                            List<String> changed = new ArrayList<>();
                            for (Queue queue : queues) {
                                Optional<Queue> known = find(edits.reader(), queue.name());
                                if (known.isEmpty() || (replace && !known.get().equals(queue))) {
                                    requireSameMode(known, queue);
                                    edits.put(
                                            QueueRows.definition(queue.name()),
                                            TaskCodec.bytes(queue));
                                    changed.add(queue.name());
                                }
                            }
                            requireBelowLimit(edits);
                            return changed;
                        });
        written.forEach(listener::changed);
        return written;
    }

    private static void requireSameMode(Optional<Queue> known, Queue wanted) {
        if (known.isPresent() && known.get().mode() != wanted.mode()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The mode of the queue {queue} cannot change; delete the queue first.",
                    "queue",
                    wanted.name());
        }
    }

    private void requireBelowLimit(RowEdits edits) {
        long added = edits.writes().stream().filter(row -> row.prior() == null).count();
        if (added > 0 && all(edits.reader()).size() + added > limits.queuesMax()) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "A project has at most {max} queues; delete some first.",
                    "max",
                    limits.queuesMax());
        }
    }

    /** Changes an existing queue and returns it; NOT_FOUND if there is none. */
    Queue change(String name, UnaryOperator<Queue> change) {
        Queue changed =
                commits.commit(
                        edits -> {
                            Queue known = require(edits, name);
                            Queue wanted = change.apply(known);
                            requireSameMode(Optional.of(known), wanted);
                            if (!wanted.equals(known)) {
                                edits.put(QueueRows.definition(name), TaskCodec.bytes(wanted));
                            }
                            return wanted;
                        });
        listener.changed(name);
        return changed;
    }

    /** Removes the definition. */
    void remove(String name) {
        commits.<Queue>commit(
                edits -> {
                    Queue known = require(edits, name);
                    edits.remove(QueueRows.definition(name));
                    return known;
                });
        listener.changed(name);
    }
}
