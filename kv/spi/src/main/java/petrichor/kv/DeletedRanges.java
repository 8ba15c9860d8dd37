package petrichor.kv;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * Versioned range deletions of a table: older rows in a deleted range are invalid, whether they
 * existed before or arrive late. For stores without native support. The meaning of a version (a
 * timestamp, a number) depends on the store. Immutable.
 *
 * @param steps the version that applies from a key to the next one; none before the first
 */
public record DeletedRanges(NavigableMap<Bytes, Long> steps) {
    public static final long NONE = Long.MIN_VALUE;
    public static final DeletedRanges EMPTY = new DeletedRanges(new TreeMap<>());

    public boolean isEmpty() {
        return steps.isEmpty();
    }

    /** The minimum version of a visible row of this key; {@link #NONE}: any. */
    public long at(byte[] key) {
        if (steps.isEmpty()) {
            return NONE;
        }
        Map.Entry<Bytes, Long> step = steps.floorEntry(Bytes.of(key));
        return step == null ? NONE : step.getValue();
    }

    /** Whether the whole range is deleted with this version or a later one. */
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
