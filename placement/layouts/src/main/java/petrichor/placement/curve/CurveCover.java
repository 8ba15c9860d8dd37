package petrichor.placement.curve;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Covers a box of a cube by intervals of Hilbert's curve. An aligned cube of side 2^k is one
 * interval of the curve, so the cube is divided until the parts lie inside or outside the box.
 */
public final class CurveCover {
    /** Cubes on the surface of the box, per wanted interval, up to which they are divided. */
    private static final int REFINEMENT = 4;

    private CurveCover() {}

    /**
     * Positions {@code from <= position < to} of the curve.
     *
     * @param to at most 2^(bits * dimensions)
     */
    public record Interval(long from, long to) {
        public Interval {
            if (from < 0 || to <= from) {
                throw new IllegalArgumentException("not an interval: " + from + " to " + to);
            }
        }
    }

    /**
     * Ascending, disjoint intervals that contain every point of the box, and others if more
     * intervals than allowed would be needed to avoid them.
     *
     * @param low the smallest coordinate of the box in each dimension
     * @param high the largest coordinate, inclusive
     * @param max number of intervals
     */
    public static List<Interval> of(HilbertCurve curve, int[] low, int[] high, int max) {
        if (low.length != curve.dimensions() || high.length != low.length || max < 1) {
            throw new IllegalArgumentException("the box and the curve differ in dimensions");
        }
        List<Interval> inside = new ArrayList<>();
        List<int[]> surface = new ArrayList<>();
        int level = curve.bits();
        int[] origin = new int[low.length];
        if (contains(origin, level, low, high)) {
            inside.add(interval(curve, origin, level));
        } else {
            surface.add(origin);
        }
        while (!surface.isEmpty() && level > 0 && surface.size() <= REFINEMENT * max) {
            level--;
            List<int[]> next = new ArrayList<>();
            for (int[] cube : surface) {
                for (int child = 0; child < 1 << low.length; child++) {
                    int[] corner = cube.clone();
                    for (int k = 0; k < corner.length; k++) {
                        corner[k] += (child >> k & 1) << level;
                    }
                    if (contains(corner, level, low, high)) {
                        inside.add(interval(curve, corner, level));
                    } else if (touches(corner, level, low, high)) {
                        next.add(corner);
                    }
                }
            }
            surface = next;
        }
        for (int[] cube : surface) {
            inside.add(interval(curve, cube, level));
        }
        return atMost(max, merged(inside));
    }

    private static boolean contains(int[] corner, int level, int[] low, int[] high) {
        for (int k = 0; k < corner.length; k++) {
            if (corner[k] < low[k] || corner[k] + (1 << level) - 1 > high[k]) {
                return false;
            }
        }
        return true;
    }

    private static boolean touches(int[] corner, int level, int[] low, int[] high) {
        for (int k = 0; k < corner.length; k++) {
            if (corner[k] > high[k] || corner[k] + (1 << level) - 1 < low[k]) {
                return false;
            }
        }
        return true;
    }

    private static Interval interval(HilbertCurve curve, int[] corner, int level) {
        long points = 1L << (level * corner.length);
        long from = curve.index(corner) & -points;
        return new Interval(from, from + points);
    }

    private static List<Interval> merged(List<Interval> intervals) {
        intervals.sort(Comparator.comparingLong(Interval::from));
        List<Interval> merged = new ArrayList<>();
        for (Interval next : intervals) {
            if (!merged.isEmpty() && merged.getLast().to() >= next.from()) {
                merged.add(new Interval(merged.removeLast().from(), next.to()));
            } else {
                merged.add(next);
            }
        }
        return merged;
    }

    /** Closes the smallest gaps. */
    private static List<Interval> atMost(int max, List<Interval> intervals) {
        if (intervals.size() <= max) {
            return intervals;
        }
        long[] gaps = new long[intervals.size() - 1];
        for (int k = 0; k < gaps.length; k++) {
            gaps[k] = intervals.get(k + 1).from() - intervals.get(k).to();
        }
        long[] sorted = gaps.clone();
        java.util.Arrays.sort(sorted);
        int kept = max - 1;
        long smallestKept = kept == 0 ? Long.MAX_VALUE : sorted[sorted.length - kept];
        int equal = kept;
        for (long gap : gaps) {
            equal -= gap > smallestKept ? 1 : 0;
        }
        List<Interval> fewer = new ArrayList<>(max);
        fewer.add(intervals.getFirst());
        for (int k = 0; k < gaps.length; k++) {
            Interval next = intervals.get(k + 1);
            boolean keep = gaps[k] > smallestKept || (gaps[k] == smallestKept && equal-- > 0);
            if (keep) {
                fewer.add(next);
            } else {
                fewer.add(new Interval(fewer.removeLast().from(), next.to()));
            }
        }
        return fewer;
    }
}
