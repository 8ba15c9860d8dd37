package petrichor.kv.hbase;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

/**
 * The ranges of a table that were deleted with a version: rows in them that are older do not count,
 * whether they were there before or come late. Immutable.
 *
 * @param steps the timestamp that holds from a key to the next one; absent before the first: none
 */
record DeletedRanges(NavigableMap<Bytes, Long> steps) {
    static final long NONE = Long.MIN_VALUE;
    static final DeletedRanges EMPTY = new DeletedRanges(new TreeMap<>());

    boolean isEmpty() {
        return steps.isEmpty();
    }

    /** Rows of this key must have at least this timestamp to be there. */
    long at(byte[] key) {
        if (steps.isEmpty()) {
            return NONE;
        }
        Map.Entry<Bytes, Long> step = steps.floorEntry(Bytes.of(key));
        return step == null ? NONE : step.getValue();
    }

    /** Whether all of the range is deleted with this timestamp or a later one. */
    boolean covers(KeyRange range, long timestamp) {
        return at(range.from()) >= timestamp
                && within(steps, range).values().stream().allMatch(step -> step >= timestamp);
    }

    DeletedRanges with(KeyRange range, long timestamp) {
        if (range.isEmpty() || covers(range, timestamp)) {
            return this;
        }
        NavigableMap<Bytes, Long> next = new TreeMap<>(steps);
        byte[] to = range.to();
        if (to != null) {
            next.put(Bytes.of(to), at(to));
        }
        next.put(Bytes.of(range.from()), at(range.from()));
        within(next, range).replaceAll((_, step) -> Math.max(step, timestamp));
        return new DeletedRanges(next);
    }

    private static NavigableMap<Bytes, Long> within(
            NavigableMap<Bytes, Long> steps, KeyRange range) {
        Bytes from = Bytes.of(range.from());
        byte @Nullable [] to = range.to();
        return to == null
                ? steps.tailMap(from, true)
                : steps.subMap(from, true, Bytes.of(to), false);
    }
}
