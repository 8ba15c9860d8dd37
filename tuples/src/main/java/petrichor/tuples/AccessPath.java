package petrichor.tuples;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.placement.curve.CurveCover;

/**
 * The rows that a query reads, in their order.
 *
 * @param kind of the rows
 * @param ranges ascending, disjoint
 * @param text for people
 */
record AccessPath(Kind kind, List<KeyRange> ranges, String text) {
    /** What a row that is read refers to. */
    enum Kind {
        /** Rows of tuples. */
        TUPLES,
        /** Rows from keys to positions. */
        KEYS,
        /** Index entries of tags. */
        TAGS
    }

    AccessPath {
        ranges = List.copyOf(ranges);
    }

    /** Keys in their order; null if the layout has none. */
    static @Nullable AccessPath ofKeys(TupleLayout layout, KeySpan span) {
        return switch (layout.placement()) {
            case TuplePlacement.Hashed _ -> null;
            case TuplePlacement.Ordered _ ->
                    of(
                            Kind.TUPLES,
                            List.of(TupleRows.roots(layout, new byte[0], span)),
                            "range of keys");
            case TuplePlacement.Tagged _, TuplePlacement.Affinity _, TuplePlacement.Colocated _ ->
                    of(
                            Kind.KEYS,
                            List.of(TupleRows.keys(layout.id(), span)),
                            "range of keys, through their positions");
        };
    }

    /** All tuples of the layout, in the order of their rows if that is cheaper. */
    static AccessPath ofAll(TupleLayout layout) {
        return layout.host() == null
                ? of(Kind.TUPLES, List.of(TupleRows.tuples(layout)), "all tuples")
                : of(
                        Kind.KEYS,
                        List.of(TupleRows.keys(layout.id())),
                        "all tuples, through their positions");
    }

    /**
     * For a filter: an exact tag in the index, an interval of the curve, a range of the index, or
     * all tuples.
     */
    static AccessPath of(TupleLayout layout, TagFilter filter) {
        for (TagCondition condition : filter.all()) {
            if (condition instanceof TagCondition.Is && layout.indexes(condition.dimension())) {
                return index(layout, List.of(condition));
            }
        }
        List<CurveCover.Interval> intervals = layout.intervals(filter.all());
        if (intervals != null) {
            return curve(layout, intervals);
        }
        for (TagCondition condition : filter.all()) {
            if (layout.indexes(condition.dimension())) {
                return index(layout, List.of(condition));
            }
        }
        if (filter.any().isEmpty()) {
            return ofAll(layout);
        }
        if (filter.any().stream().allMatch(one -> layout.indexes(one.dimension()))) {
            return index(layout, filter.any());
        }
        List<CurveCover.Interval> either = new ArrayList<>();
        for (TagCondition condition : filter.any()) {
            List<CurveCover.Interval> some = layout.intervals(List.of(condition));
            if (some == null) {
                return ofAll(layout);
            }
            either.addAll(some);
        }
        return curve(layout, either);
    }

    private static AccessPath index(TupleLayout layout, List<TagCondition> conditions) {
        List<KeyRange> ranges = new ArrayList<>();
        for (TagCondition condition : conditions) {
            ranges.add(TupleRows.tags(layout.id(), condition));
        }
        return of(Kind.TAGS, ranges, "tag index");
    }

    private static AccessPath curve(TupleLayout layout, List<CurveCover.Interval> intervals) {
        List<KeyRange> ranges = new ArrayList<>();
        for (CurveCover.Interval interval : intervals) {
            long end = interval.to();
            ranges.add(
                    TupleRows.tuples(
                            layout,
                            TupleLayout.curvePrefix(interval.from()),
                            end >>> Integer.SIZE != 0 ? null : TupleLayout.curvePrefix(end)));
        }
        return of(Kind.TUPLES, ranges, "intervals of the curve");
    }

    private static AccessPath of(Kind kind, List<KeyRange> ranges, String text) {
        List<KeyRange> sorted = new ArrayList<>(ranges);
        sorted.removeIf(KeyRange::isEmpty);
        sorted.sort(Comparator.comparing(range -> Bytes.of(range.from())));
        List<KeyRange> merged = new ArrayList<>();
        for (KeyRange next : sorted) {
            if (merged.isEmpty() || isBefore(merged.getLast(), next)) {
                merged.add(next);
            } else {
                KeyRange last = merged.removeLast();
                merged.add(new KeyRange(last.from(), later(last.to(), next.to())));
            }
        }
        return new AccessPath(kind, merged, text);
    }

    private static boolean isBefore(KeyRange one, KeyRange other) {
        byte[] end = one.to();
        return end != null && Bytes.compare(end, other.from()) < 0;
    }

    private static byte @Nullable [] later(byte @Nullable [] one, byte @Nullable [] other) {
        if (one == null || other == null) {
            return null;
        }
        return Bytes.compare(one, other) >= 0 ? one : other;
    }

    /** What remains after a row. */
    List<KeyRange> after(byte @Nullable [] position) {
        if (position == null) {
            return ranges;
        }
        byte[] next = Bytes.successor(position);
        List<KeyRange> rest = new ArrayList<>();
        for (KeyRange range : ranges) {
            byte[] end = range.to();
            if (end != null && Bytes.compare(end, next) <= 0) {
                continue;
            }
            rest.add(Bytes.compare(range.from(), next) >= 0 ? range : new KeyRange(next, end));
        }
        return rest;
    }

    boolean contains(byte[] row) {
        return ranges.stream().anyMatch(range -> range.contains(row));
    }
}
