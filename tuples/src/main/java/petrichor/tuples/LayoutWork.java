package petrichor.tuples;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.Snapshot;
import petrichor.tuples.Places.Ask;
import petrichor.tuples.Places.Place;
import petrichor.tuples.TupleWriter.TupleChange;
import petrichor.tuples.stored.StoredProgress;
import petrichor.tuples.stored.StoredRemoval;

/**
 * Completes changes of placements and removes the rows of former layouts, step by step. Each step
 * is one commit that also records how far the work is: after a crash, another process continues
 * with the next step. Steps may run anywhere, also concurrently. Thread-safe.
 */
final class LayoutWork {
    /** Rows that a step removes. */
    private static final int REMOVED_ROWS_MAX = 500;

    /** A step copies few tuples, so that writes of these seldom make it start again. */
    private static final PageSize COPIED = new PageSize(100, 1 << 20, 2_000);

    private final TupleCommits commits;
    private final TupleCatalog catalog;

    LayoutWork(TupleCommits commits, TupleCatalog catalog) {
        this.commits = commits;
        this.catalog = catalog;
    }

    /** Does one step; false if there is nothing to do. */
    boolean step() {
        Optional<String> changing;
        Optional<Integer> removed;
        try (Snapshot snapshot = commits.database().snapshot()) {
            changing =
                    catalog.all(snapshot).stream()
                            .filter(collection -> collection.next() != null)
                            .map(TupleCollection::name)
                            .findFirst();
            removed = changing.isPresent() ? Optional.empty() : firstRemoval(snapshot);
        }
        changing.ifPresent(this::copySome);
        removed.ifPresent(this::removeSome);
        return changing.isPresent() || removed.isPresent();
    }

    private static Optional<Integer> firstRemoval(RowReader reader) {
        try (RowCursor rows = reader.scan(TupleRows.removals(), Direction.FORWARD)) {
            return rows.next()
                    ? Optional.of(TupleRows.removedLayout(rows.key()))
                    : Optional.empty();
        }
    }

    private void copySome(String name) {
        try {
            var _ = commits.commit(edits -> copySome(edits, name));
        } catch (PetrichorException failed) {
            if (failed.code() == ErrorCode.INVALID_ARGUMENT) {
                // A tuple that the placement cannot hold: the collection stays as it is.
                cancel(name, String.valueOf(failed.getMessage()));
            } else if (failed.code() != ErrorCode.NOT_FOUND) {
                throw failed;
            }
        }
    }

    private boolean copySome(TupleEdits edits, String name) {
        TupleCollection collection = catalog.require(edits, name);
        TupleLayout next = collection.next();
        if (next == null) {
            return false;
        }
        StoredProgress progress =
                TupleCatalog.progress(edits.require(TupleRows.progress(collection.id())));
        byte[] after = progress.getNext().isEmpty() ? null : progress.getNext().toByteArray();
        TupleLayout layout = collection.layout();
        FoundTuples found =
                TupleReads.page(
                        edits.reader(),
                        layout,
                        AccessPath.ofAll(layout),
                        TagFilter.EVERYTHING,
                        after,
                        COPIED);
        copy(edits, layout, next, found.tuples());
        byte[] position = found.position();
        if (position != null) {
            edits.put(
                    TupleRows.progress(collection.id()),
                    StoredProgress.newBuilder()
                            .setNext(ByteString.copyFrom(position))
                            .setTuples(progress.getTuples() + found.tuples().size())
                            .build()
                            .toByteArray());
        } else {
            switchTo(edits, collection, next);
        }
        return true;
    }

    /** Adds the rows of tuples that the next layout does not have yet. */
    private static void copy(
            TupleEdits edits, TupleLayout layout, TupleLayout next, List<Tuple> tuples) {
        List<Ask> asks = new ArrayList<>();
        for (Tuple tuple : tuples) {
            asks.add(new Ask(layout, tuple.key()));
            asks.add(new Ask(next, tuple.key()));
        }
        List<Place> places = Places.find(edits.reader(), asks);
        List<TupleChange> changes = new ArrayList<>();
        for (int i = 0; i < tuples.size(); i++) {
            Tuple tuple = tuples.get(i);
            Place there = places.get(2 * i + 1);
            Tuple copied = there.tuple(tuple.key());
            if (copied == null || copied.revision() != tuple.revision()) {
                places.get(2 * i).asked().forEach(edits::requireUnchanged);
                there.asked().forEach(edits::requireUnchanged);
                changes.add(new TupleChange(next, there, tuple.key(), tuple));
            }
        }
        TupleWriter.apply(edits, changes);
    }

    private static void switchTo(TupleEdits edits, TupleCollection collection, TupleLayout next) {
        TupleCatalog.put(
                edits,
                new TupleCollection(
                        collection.name(), collection.id(), next.tagIndex(), next, null, ""));
        edits.remove(TupleRows.progress(collection.id()));
        remove(edits, collection.layout(), 0);
    }

    /** Ends a change of the placement, if one is in progress; the collection stays as it is. */
    boolean cancel(String name, String failure) {
        return commits.commit(
                edits -> {
                    TupleCollection collection = catalog.require(edits, name);
                    TupleLayout next = collection.next();
                    if (next == null) {
                        return false;
                    }
                    TupleCatalog.put(
                            edits,
                            new TupleCollection(
                                    name,
                                    collection.id(),
                                    collection.tagIndex(),
                                    collection.layout(),
                                    null,
                                    failure));
                    edits.remove(TupleRows.progress(collection.id()));
                    remove(edits, next, 0);
                    return true;
                });
    }

    /** Removes a collection with its tuples; the rows are removed by later steps. */
    void drop(TupleEdits edits, String name) {
        TupleCollection collection = catalog.require(edits, name);
        edits.remove(TupleRows.collection(name));
        edits.remove(TupleRows.progress(collection.id()));
        remove(edits, collection.layout(), collection.id());
        TupleLayout next = collection.next();
        if (next != null) {
            remove(edits, next, 0);
        }
    }

    /**
     * @param assignments the collection whose assignments are removed, too; 0: none
     */
    private static void remove(TupleEdits edits, TupleLayout layout, int assignments) {
        edits.put(
                TupleRows.removal(layout.id()),
                StoredRemoval.newBuilder().setAssignments(assignments).build().toByteArray());
    }

    private void removeSome(int id) {
        var _ =
                commits.commit(
                        edits -> {
                            Row row = edits.require(TupleRows.removal(id));
                            if (row != null) {
                                removeSome(edits, id, removal(row));
                            }
                            return row != null;
                        });
    }

    private static StoredRemoval removal(Row row) {
        try {
            return StoredRemoval.parseFrom(row.value());
        } catch (InvalidProtocolBufferException damaged) {
            throw TupleRows.damaged(damaged);
        }
    }

    private void removeSome(TupleEdits edits, int id, StoredRemoval removal) {
        TupleLayout layout = catalog.layout(edits.reader(), id);
        List<KeyRange> ranges = new ArrayList<>();
        if (removal.getAssignments() != 0) {
            ranges.add(TupleRows.assignments(removal.getAssignments()));
        }
        ranges.add(TupleRows.keys(id));
        ranges.add(TupleRows.tuples(layout));
        ranges.add(TupleRows.tags(id));
        AccessPath all = new AccessPath(AccessPath.Kind.TUPLES, ranges, "");
        byte[] after = removal.getNext().isEmpty() ? null : removal.getNext().toByteArray();
        byte[] position = removeSome(edits, layout, all.after(after));
        if (position != null) {
            edits.put(
                    TupleRows.removal(id),
                    removal.toBuilder()
                            .setNext(ByteString.copyFrom(position))
                            .build()
                            .toByteArray());
        } else {
            edits.remove(TupleRows.removal(id));
            if (!hosts(edits.reader(), id)) {
                edits.remove(TupleRows.layout(id));
            }
        }
    }

    /** Removes rows of the layout; returns the last row it passed, null at the end. */
    private static byte @Nullable [] removeSome(
            TupleEdits edits, TupleLayout layout, List<KeyRange> ranges) {
        int passed = 0;
        for (KeyRange range : ranges) {
            boolean tuples = Bytes.startsWith(range.from(), TupleRows.tuples(layout).from());
            try (RowCursor rows = edits.reader().scan(range, Direction.FORWARD)) {
                while (rows.next()) {
                    byte[] key = rows.key();
                    if (!tuples || TupleRows.keyOfTuple(layout, key) != null) {
                        edits.write(key, null, new Row(key, rows.version(), rows.value()), true);
                    }
                    if (++passed >= REMOVED_ROWS_MAX) {
                        return key;
                    }
                }
            }
        }
        return null;
    }

    /** Whether another layout lies between the rows of this one. */
    private boolean hosts(RowReader reader, int id) {
        for (TupleCollection collection : catalog.all(reader)) {
            for (TupleLayout layout : layouts(collection)) {
                for (TupleLayout host = layout.host(); host != null; host = host.host()) {
                    if (host.id() == id) {
                        return true;
                    }
                }
            }
        }
        try (RowCursor rows = reader.scan(TupleRows.removals(), Direction.FORWARD)) {
            while (rows.next()) {
                TupleLayout removed = catalog.layout(reader, TupleRows.removedLayout(rows.key()));
                for (TupleLayout host = removed.host(); host != null; host = host.host()) {
                    if (host.id() == id) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static List<TupleLayout> layouts(TupleCollection collection) {
        TupleLayout next = collection.next();
        return next == null ? List.of(collection.layout()) : List.of(collection.layout(), next);
    }
}
