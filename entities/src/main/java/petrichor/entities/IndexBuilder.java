package petrichor.entities;

import com.google.datastore.v1.Entity;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedReader;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * Builds and empties composite indexes in small commits while the database is in use. Each commit
 * also records the progress, so that work resumes there after a crash. Writers maintain the index
 * in the meantime; if one changes an entity that is being indexed, the later of the two commits
 * conflicts and is retried. Confined to one thread.
 */
final class IndexBuilder {
    private static final int ENTITIES_PER_COMMIT = 100;
    private static final int REMOVED_ROWS_PER_COMMIT = 1_000;
    static final String PROGRESS = "index-progress";
    private static final byte[] EMPTY = {};

    private final Database database;
    private final CompositeIndex index;
    private final byte[] progressRow;

    IndexBuilder(Database database, CompositeIndex index) {
        this.database = database;
        this.index = index;
        this.progressRow = RowLayout.metaRow(PROGRESS, index.id());
    }

    /** Adds index rows for entities that existed before the index. */
    void fill() {
        while (fillSome()) {}
    }

    /** Returns whether more work may be left. */
    private boolean fillSome() {
        try (Snapshot snapshot = database.snapshot()) {
            Row progress = snapshot.get(progressRow);
            byte[] from = progress == null ? RowLayout.kindPrefix() : progress.value();
            List<byte[]> entityRows = new ArrayList<>();
            byte[] next = nextEntities(snapshot, from, entityRows);
            List<RowWrite> writes = missingRows(snapshot, entityRows);
            writes.add(new RowWrite(progressRow, next, progress));
            boolean committed = commit(snapshot, entityRows, writes);
            return !committed || Bytes.startsWith(next, RowLayout.kindPrefix());
        }
    }

    /**
     * Collects entities of the kind from a position in the index of kinds, and returns the position
     * where to continue. The index is ordered by namespace, so the walk steps from one namespace to
     * the next.
     */
    private byte[] nextEntities(Snapshot snapshot, byte[] from, List<byte[]> entityRows) {
        byte[] end = after(RowLayout.kindPrefix());
        byte[] at = from;
        while (entityRows.size() < ENTITIES_PER_COMMIT) {
            String namespace = namespaceAt(snapshot, at);
            if (namespace == null) {
                return end;
            }
            byte[] prefix = RowLayout.kindPrefix(namespace, index.definition().kind());
            byte[] start = Bytes.compare(at, prefix) > 0 ? at : prefix;
            byte[] stop = after(prefix);
            if (Bytes.compare(start, stop) < 0) {
                byte[] last =
                        collect(snapshot, namespace, new KeyRange(start, stop), prefix, entityRows);
                if (last != null) {
                    return Bytes.successor(last);
                }
            }
            at = after(RowLayout.kindPrefix(namespace));
        }
        return at;
    }

    /** Returns the last row if the range may contain more, else null. */
    private static byte @Nullable [] collect(
            Snapshot snapshot,
            String namespace,
            KeyRange range,
            byte[] prefix,
            List<byte[]> entityRows) {
        try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
            while (cursor.next()) {
                byte[] row = cursor.key();
                byte[] path = new OrderedReader(row, prefix.length).rest();
                entityRows.add(RowLayout.entityRow(namespace, path));
                if (entityRows.size() == ENTITIES_PER_COMMIT) {
                    return row;
                }
            }
        }
        return null;
    }

    private static @Nullable String namespaceAt(Snapshot snapshot, byte[] at) {
        KeyRange rest = new KeyRange(at, after(RowLayout.kindPrefix()));
        try (RowCursor cursor = snapshot.scan(rest, Direction.FORWARD)) {
            return cursor.next() ? new OrderedReader(cursor.key(), 1).takeString() : null;
        }
    }

    private List<RowWrite> missingRows(Snapshot snapshot, List<byte[]> entityRows) {
        List<byte[]> wanted = new ArrayList<>();
        for (Row row : snapshot.get(entityRows)) {
            if (row != null) {
                Entity entity = EntityRow.entity(row.value());
                List<byte[]> rows = Indexing.storedRows(entity, index);
                if (rows.isEmpty()) {
                    requireFew(entity);
                }
                wanted.addAll(rows);
            }
        }
        List<RowWrite> writes = new ArrayList<>();
        List<@Nullable Row> present = wanted.isEmpty() ? List.of() : snapshot.get(wanted);
        for (int i = 0; i < wanted.size(); i++) {
            if (present.get(i) == null) {
                writes.add(new RowWrite(wanted.get(i), EMPTY, null));
            }
        }
        return writes;
    }

    /** An entity without index rows lacks a property, or would have too many of them. */
    private void requireFew(Entity entity) {
        try {
            Indexing.newRows(entity, new Indexes(index.id(), List.of(index)));
        } catch (PetrichorException e) {
            if (e.code() != ErrorCode.INVALID_ARGUMENT) {
                throw e;
            }
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    e,
                    "This index can't be created, because {key} would have more than "
                            + Limits.COMPOSITE_ENTRIES_MAX
                            + " entries or "
                            + Limits.COMPOSITE_BYTES_MAX
                            + " bytes of entries in it; put fewer values into its arrays first:\n"
                            + "{yaml}",
                    "key",
                    KeyText.of(entity.getKey()),
                    "yaml",
                    index.definition().yaml());
        }
    }

    /** Removes all its rows, and the record of its progress. */
    void empty() {
        boolean more = true;
        while (more) {
            try (Snapshot snapshot = database.snapshot()) {
                List<RowWrite> writes = new ArrayList<>();
                more = removals(snapshot, writes);
                Row progress = more ? null : snapshot.get(progressRow);
                if (progress != null) {
                    writes.add(new RowWrite(progressRow, null, progress));
                }
                more |= !writes.isEmpty() && !commit(snapshot, List.of(), writes);
            }
        }
    }

    private boolean removals(Snapshot snapshot, List<RowWrite> writes) {
        try (RowCursor cursor = snapshot.scan(RowLayout.composite(index.id()), Direction.FORWARD)) {
            while (cursor.next()) {
                if (writes.size() == REMOVED_ROWS_PER_COMMIT) {
                    return true;
                }
                byte[] key = cursor.key();
                writes.add(new RowWrite(key, null, new Row(key, cursor.version(), cursor.value())));
            }
        }
        return false;
    }

    /** Returns false if it must be repeated because its input has changed. */
    private boolean commit(Snapshot snapshot, List<byte[]> entityRows, List<RowWrite> writes) {
        List<byte[]> reads = new ArrayList<>(entityRows);
        reads.add(Indexes.ROW);
        CommitResult result =
                database.commit(
                                new CommitRequest(
                                        snapshot.version(),
                                        reads,
                                        List.of(),
                                        List.of(progressRow),
                                        writes))
                        .join();
        return switch (result) {
            case CommitResult.Committed _ -> true;
            case CommitResult.Conflict _ -> false;
            case CommitResult.Refused(PetrichorException reason) -> {
                if (reason.code() != ErrorCode.ABORTED) {
                    throw reason;
                }
                // A transaction holds a lock; it will end.
                yield false;
            }
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        };
    }

    private static byte[] after(byte[] prefix) {
        byte[] after = Bytes.afterPrefix(prefix);
        if (after == null) {
            throw PetrichorException.of(ErrorCode.INTERNAL, "A row starts with a letter.");
        }
        return after;
    }
}
