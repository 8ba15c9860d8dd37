package petrichor.entities.query;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * Conditions that all hold. Each equality may be met by another element of an array; the range of a
 * property is met by one element.
 *
 * @param ancestor path of a key that the results are or descend from
 * @param equalities per property the encoded values (ascending encoding), sorted
 * @param ranges per property, in ascending encoding; once resolved, never for a property with
 *     equalities
 * @param keys paths of the results' own keys
 */
record Conjunction(
        byte @Nullable [] ancestor,
        SortedMap<String, List<Bytes>> equalities,
        SortedMap<String, Interval> ranges,
        Interval keys) {
    private static final SortedMap<String, List<Bytes>> NO_EQUALITIES =
            Collections.unmodifiableSortedMap(new TreeMap<>());
    private static final SortedMap<String, Interval> NO_RANGES =
            Collections.unmodifiableSortedMap(new TreeMap<>());

    static final Conjunction TRUE = new Conjunction(null, NO_EQUALITIES, NO_RANGES, Interval.ALL);

    static Conjunction ofAncestor(byte[] path) {
        return new Conjunction(path, NO_EQUALITIES, NO_RANGES, Interval.ALL);
    }

    static Conjunction ofEquality(String property, byte[] value) {
        return new Conjunction(
                null,
                new TreeMap<>(Collections.singletonMap(property, List.of(Bytes.of(value)))),
                NO_RANGES,
                Interval.ALL);
    }

    static Conjunction ofRange(String property, Interval range) {
        return new Conjunction(
                null,
                NO_EQUALITIES,
                new TreeMap<>(Collections.singletonMap(property, range)),
                Interval.ALL);
    }

    static Conjunction ofKeys(Interval keys) {
        return new Conjunction(null, NO_EQUALITIES, NO_RANGES, keys);
    }

    /** Null if nothing can meet both. */
    @Nullable Conjunction and(Conjunction other) {
        byte[] nearest = ancestor;
        if (nearest == null) {
            nearest = other.ancestor;
        } else if (other.ancestor != null) {
            if (Bytes.startsWith(other.ancestor, nearest)) {
                nearest = other.ancestor;
            } else if (!Bytes.startsWith(nearest, other.ancestor)) {
                return null;
            }
        }
        SortedMap<String, List<Bytes>> allEqualities = new TreeMap<>(equalities);
        other.equalities.forEach(
                (property, values) -> allEqualities.merge(property, values, Conjunction::union));
        SortedMap<String, Interval> allRanges = new TreeMap<>(ranges);
        other.ranges.forEach((property, range) -> allRanges.merge(property, range, Interval::and));
        if (allRanges.values().stream().anyMatch(Interval::isEmpty)) {
            return null;
        }
        Interval allKeys = keys.and(other.keys);
        return allKeys.isEmpty()
                ? null
                : new Conjunction(nearest, allEqualities, allRanges, allKeys);
    }

    /**
     * Without ranges of properties that have equalities: one of the equal values must lie in the
     * range, so the range says no more. Null if none does.
     */
    @Nullable Conjunction resolved() {
        SortedMap<String, Interval> open = new TreeMap<>(ranges);
        for (var equality : equalities.entrySet()) {
            Interval range = open.remove(equality.getKey());
            if (range != null
                    && equality.getValue().stream().noneMatch(v -> range.contains(v.array()))) {
                return null;
            }
        }
        return new Conjunction(ancestor, equalities, open, keys);
    }

    private static List<Bytes> union(List<Bytes> left, List<Bytes> right) {
        TreeSet<Bytes> all = new TreeSet<>(left);
        all.addAll(right);
        return List.copyOf(all);
    }
}
