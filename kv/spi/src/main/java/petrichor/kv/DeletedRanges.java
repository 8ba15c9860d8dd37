package petrichor.kv;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * The ranges of a table that were deleted with a version: rows in them that are older do not count,
 * whether they were there before or come late. For stores that keep no such thing themselves. What
 * a version is called there (a timestamp, a number) does not matter. Immutable.
 *
 * @param steps the version that holds from a key to the next one; absent before the first: none
 */
public record DeletedRanges(NavigableMap<Bytes, Long> steps) {
    public static final long NONE = Long.MIN_VALUE;
    public static final DeletedRanges EMPTY = new DeletedRanges(new TreeMap<>());

    public boolean isEmpty() {
        return steps.isEmpty();
    }

    /** Rows of this key must have at least this version to be there; {@link #NONE}: any. */
    public long at(byte[] key) {
        if (steps.isEmpty()) {
            return NONE;
        }
        Map.Entry<Bytes, Long> step = steps.floorEntry(Bytes.of(key));
        return step == null ? NONE : step.getValue();
    }

    /** Whether all of the range is deleted with this version or a later one. */
    public boolean covers(KeyRange range, long version) {
        return at(range.from()) >= version
                && within(steps, range).values().stream().allMatch(step -> step >= version);
    }

    public DeletedRanges with(KeyRange range, long version) {
        if (range.isEmpty() || covers(range, version)) {
            return this;
        }
        NavigableMap<Bytes, Long> next = new TreeMap<>(steps);
        byte[] to = range.to();
        if (to != null) {
            next.put(Bytes.of(to), at(to));
        }
        next.put(Bytes.of(range.from()), at(range.from()));
        within(next, range).replaceAll((_, step) -> Math.max(step, version));
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
