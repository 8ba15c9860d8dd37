package petrichor.entities.query;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * Conditions that must all hold. Different elements of an array may satisfy different equalities; a
 * single element must satisfy the range of a property, possibly yet another one.
 *
 * @param ancestor path of a key that is equal to, or an ancestor of, the keys of the results
 * @param equalities per property the encoded values (ascending encoding), sorted
 * @param ranges per property, in ascending encoding; once resolved, for a property with equalities
 *     only if none of its values is in the range, so that another element is needed
 * @param keys paths of the results' own keys
 * @param others per property, {@code __key__} included, values excluded from the range
 */
record Conjunction(
        byte @Nullable [] ancestor,
        SortedMap<String, List<Bytes>> equalities,
        SortedMap<String, Interval> ranges,
        Interval keys,
        SortedMap<String, List<Bytes>> others) {
    private static final SortedMap<String, List<Bytes>> NO_EQUALITIES =
            Collections.unmodifiableSortedMap(new TreeMap<>());
    private static final SortedMap<String, Interval> NO_RANGES =
            Collections.unmodifiableSortedMap(new TreeMap<>());

    static final Conjunction TRUE =
            new Conjunction(null, NO_EQUALITIES, NO_RANGES, Interval.ALL, NO_EQUALITIES);

    static Conjunction ofAncestor(byte[] path) {
        return new Conjunction(path, NO_EQUALITIES, NO_RANGES, Interval.ALL, NO_EQUALITIES);
    }

    static Conjunction ofEquality(String property, byte[] value) {
        return new Conjunction(
                null,
                new TreeMap<>(Collections.singletonMap(property, List.of(Bytes.of(value)))),
                NO_RANGES,
                Interval.ALL,
                NO_EQUALITIES);
    }

    static Conjunction ofRange(String property, Interval range) {
        return new Conjunction(
                null,
                NO_EQUALITIES,
                new TreeMap<>(Collections.singletonMap(property, range)),
                Interval.ALL,
                NO_EQUALITIES);
    }

    static Conjunction ofKeys(Interval keys) {
        return new Conjunction(null, NO_EQUALITIES, NO_RANGES, keys, NO_EQUALITIES);
    }

    static Conjunction ofOthers(String property, List<Bytes> values) {
        return new Conjunction(
                null,
                NO_EQUALITIES,
                NO_RANGES,
                Interval.ALL,
                new TreeMap<>(Collections.singletonMap(property, values)));
    }

    /** Null if nothing can satisfy both. */
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
        SortedMap<String, List<Bytes>> allOthers = new TreeMap<>(others);
        other.others.forEach(
                (property, values) -> allOthers.merge(property, values, Conjunction::union));
        Interval allKeys = keys.and(other.keys);
        return allKeys.isEmpty()
                ? null
                : new Conjunction(nearest, allEqualities, allRanges, allKeys, allOthers);
    }

    /**
     * Without ranges and exclusions that one of the equal values satisfies: these are redundant.
     */
    Conjunction resolved() {
        SortedMap<String, Interval> openRanges = new TreeMap<>(ranges);
        SortedMap<String, List<Bytes>> openOthers = new TreeMap<>(others);
        for (var equality : equalities.entrySet()) {
            String property = equality.getKey();
            Interval range = ranges.getOrDefault(property, Interval.ALL);
            List<Bytes> excluded = others.getOrDefault(property, List.of());
            if (equality.getValue().stream()
                    .anyMatch(v -> range.contains(v.array()) && !excluded.contains(v))) {
                openRanges.remove(property);
                openOthers.remove(property);
            }
        }
        return new Conjunction(ancestor, equalities, openRanges, keys, openOthers);
    }

    /** Replaces an exclusion by one of the gaps that it leaves; null if the gap is empty. */
    @Nullable Conjunction within(String property, Interval gap) {
        SortedMap<String, List<Bytes>> fewer = new TreeMap<>(others);
        fewer.remove(property);
        Conjunction rest = new Conjunction(ancestor, equalities, ranges, keys, fewer);
        return rest.and(property.equals(QueryCheck.KEY) ? ofKeys(gap) : ofRange(property, gap));
    }

    /** The values of a property that has only equality conditions; null if it has others. */
    @Nullable List<Bytes> constants(String property) {
        return ranges.containsKey(property) ? null : equalities.get(property);
    }

    private static List<Bytes> union(List<Bytes> left, List<Bytes> right) {
        TreeSet<Bytes> all = new TreeSet<>(left);
        all.addAll(right);
        return List.copyOf(all);
    }
}
