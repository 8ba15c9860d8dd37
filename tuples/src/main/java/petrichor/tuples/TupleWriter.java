package petrichor.tuples;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.transactions.Row;
import petrichor.tuples.Places.Ask;
import petrichor.tuples.Places.Place;
import petrichor.tuples.TupleRows.TupleRow;

/** Writes tuples, in every layout of their collections. Stateless. */
final class TupleWriter {
    private final TupleCatalog catalog;

    TupleWriter(TupleCatalog catalog) {
        this.catalog = catalog;
    }

    /** INVALID_ARGUMENT if the batch is too large, or writes a tuple twice. */
    static void check(List<TupleWrite> writes) {
        if (writes.size() > TupleLimits.BATCH_TUPLES_MAX) {
            throw PetrichorException.invalid(
                    "the batch has {writes} writes; at most {writesMax} are allowed.",
                    "writes",
                    writes.size(),
                    "writesMax",
                    TupleLimits.BATCH_TUPLES_MAX);
        }
        long bytes = 0;
        Set<List<String>> seen = new HashSet<>();
        for (TupleWrite write : writes) {
            if (!seen.add(List.of(write.collection(), write.key()))) {
                throw PetrichorException.invalid(
                        "the batch writes the tuple {key} of {collection} twice.",
                        "key",
                        BoundedText.shown(write.key()),
                        "collection",
                        write.collection());
            }
            if (write instanceof TupleWrite.Put put) {
                bytes += Tuple.bytes(put.key(), put.value(), put.tags());
            }
        }
        if (bytes > TupleLimits.BATCH_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "the batch has {bytes} bytes; at most {bytesMax} are allowed.",
                    "bytes",
                    bytes,
                    "bytesMax",
                    TupleLimits.BATCH_BYTES_MAX);
        }
    }

    /** Adds the rows of these writes to a commit. */
    WriteResult.Batch write(TupleEdits edits, List<TupleWrite> writes, boolean atomic) {
        Set<String> names = new LinkedHashSet<>();
        writes.forEach(write -> names.add(write.collection()));
        Map<String, TupleCollection> collections = catalog.require(edits, names);
        List<Ask> asks = new ArrayList<>();
        for (TupleWrite write : writes) {
            for (TupleLayout layout : layouts(collections, write)) {
                asks.add(new Ask(layout, write.key()));
            }
        }
        List<Place> places = Places.find(edits.reader(), asks);
        places.forEach(place -> place.asked().forEach(edits::requireUnchanged));
        List<WriteResult> results = new ArrayList<>();
        List<TupleChange> changes = new ArrayList<>();
        int at = 0;
        for (TupleWrite write : writes) {
            List<TupleLayout> layouts = layouts(collections, write);
            List<Place> of = places.subList(at, at + layouts.size());
            at += layouts.size();
            Tuple old = of.getFirst().tuple(write.key());
            if (!isMet(write.condition(), old)) {
                results.add(new WriteResult.Refused(old == null ? 0 : old.revision()));
                continue;
            }
            Tuple now = written(write, old, edits.reader().version());
            results.add(
                    now == null
                            ? new WriteResult.Deleted(old != null)
                            : new WriteResult.Stored(now.revision(), old == null));
            for (int k = 0; k < layouts.size(); k++) {
                changes.add(new TupleChange(layouts.get(k), of.get(k), write.key(), now));
            }
        }
        boolean refused = results.stream().anyMatch(WriteResult.Refused.class::isInstance);
        if (atomic && refused) {
            results.replaceAll(
                    result ->
                            result instanceof WriteResult.Refused
                                    ? result
                                    : new WriteResult.NotAttempted());
            return new WriteResult.Batch(false, results);
        }
        apply(edits, changes);
        return new WriteResult.Batch(true, results);
    }

    private static List<TupleLayout> layouts(
            Map<String, TupleCollection> collections, TupleWrite write) {
        TupleCollection collection = collections.get(write.collection());
        TupleLayout next = collection == null ? null : collection.next();
        if (collection == null) {
            throw new IllegalStateException("a collection was not read");
        }
        return next == null ? List.of(collection.layout()) : List.of(collection.layout(), next);
    }

    private static boolean isMet(TupleWrite.Condition condition, @Nullable Tuple old) {
        return switch (condition) {
            case TupleWrite.Condition.Any _ -> true;
            case TupleWrite.Condition.Absent _ -> old == null;
            case TupleWrite.Condition.Present _ -> old != null;
            case TupleWrite.Condition.AtRevision(long revision) ->
                    old != null && old.revision() == revision;
        };
    }

    private static @Nullable Tuple written(TupleWrite write, @Nullable Tuple old, long version) {
        return switch (write) {
            case TupleWrite.Put put -> {
                long revision = old == null ? version : Math.max(version, old.revision() + 1);
                yield new Tuple(put.key(), put.value(), put.tags(), revision);
            }
            case TupleWrite.Delete _ -> null;
        };
    }

    /**
     * A tuple becomes another in a layout.
     *
     * @param place where it is
     * @param now null: deleted
     */
    record TupleChange(TupleLayout layout, Place place, String key, @Nullable Tuple now) {}

    /** Writes the difference between the rows that the tuples have and those they will have. */
    static void apply(TupleEdits edits, List<TupleChange> changes) {
        Map<Bytes, Integer> groups = groups(edits, changes);
        Map<Bytes, byte @Nullable []> entries = new LinkedHashMap<>();
        for (TupleChange change : changes) {
            apply(edits, change, groups, entries);
        }
        List<byte[]> keys = entries.keySet().stream().map(Bytes::array).toList();
        List<@Nullable Row> priors = keys.isEmpty() ? List.of() : edits.reader().get(keys);
        int next = 0;
        for (Map.Entry<Bytes, byte @Nullable []> entry : entries.entrySet()) {
            edits.write(entry.getKey().array(), entry.getValue(), priors.get(next++), false);
        }
    }

    private static Map<Bytes, Integer> groups(TupleEdits edits, List<TupleChange> changes) {
        Map<Bytes, byte[]> asked = new LinkedHashMap<>();
        for (TupleChange change : changes) {
            byte[] row = change.now() == null ? null : assignment(change);
            if (row != null) {
                asked.put(Bytes.of(row), row);
            }
        }
        List<@Nullable Row> rows = edits.require(List.copyOf(asked.values()));
        Map<Bytes, Integer> groups = new HashMap<>();
        int next = 0;
        for (Bytes row : asked.keySet()) {
            Row found = rows.get(next++);
            if (found != null) {
                groups.put(row, ByteBuffer.wrap(found.value()).getInt());
            }
        }
        return groups;
    }

    private static byte @Nullable [] assignment(TupleChange change) {
        String affinityKey = change.layout().affinityKey(change.key());
        return affinityKey == null
                ? null
                : TupleRows.assignment(change.layout().base().collection(), affinityKey);
    }

    /**
     * @param entries receives rows whose former content is not known yet
     */
    private static void apply(
            TupleEdits edits,
            TupleChange change,
            Map<Bytes, Integer> groups,
            Map<Bytes, byte @Nullable []> entries) {
        TupleLayout layout = change.layout();
        Place place = change.place();
        Map<Bytes, TupleRow> had = new LinkedHashMap<>();
        Tuple old = place.tuple(change.key());
        byte[] oldPrefix = place.prefix();
        if (old != null && oldPrefix != null) {
            TupleRows.rows(layout, old, oldPrefix)
                    .forEach(row -> had.put(Bytes.of(row.key()), row));
        }
        Tuple now = change.now();
        if (now != null) {
            byte[] assignment = assignment(change);
            Integer group = assignment == null ? null : groups.get(Bytes.of(assignment));
            byte[] prefix = layout.prefix(now.key(), now.tags(), group);
            for (TupleRow row : TupleRows.rows(layout, now, prefix)) {
                TupleRow before = had.remove(Bytes.of(row.key()));
                if (before == null) {
                    edits.write(row.key(), row.value(), null, row.guarded());
                } else if (!java.util.Arrays.equals(before.value(), row.value())) {
                    replace(edits, place, row.key(), row.value(), row.guarded(), entries);
                }
            }
        }
        for (TupleRow row : had.values()) {
            replace(edits, place, row.key(), null, row.guarded(), entries);
        }
    }

    private static void replace(
            TupleEdits edits,
            Place place,
            byte[] key,
            byte @Nullable [] value,
            boolean guarded,
            Map<Bytes, byte @Nullable []> entries) {
        if (guarded) {
            edits.write(key, value, known(place, key), true);
        } else {
            entries.put(Bytes.of(key), value);
        }
    }

    private static Row known(Place place, byte[] key) {
        Row row = place.row();
        if (row != null && java.util.Arrays.equals(row.key(), key)) {
            return row;
        }
        Row keyRow = place.keyRow();
        if (keyRow != null && java.util.Arrays.equals(keyRow.key(), key)) {
            return keyRow;
        }
        throw new IllegalStateException("a row of a tuple was not read");
    }
}
