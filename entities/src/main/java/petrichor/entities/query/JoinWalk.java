package petrichor.entities.query;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.ValueCodec;
import petrichor.transactions.RowReader;

/**
 * Iterates over the results of one {@link ScanPlan} in order. Joins several scans by zig-zag merge:
 * the scan that is behind jumps to the position of the others, until all agree. Confined to one
 * thread; holds resources until it is closed.
 */
final class JoinWalk implements AutoCloseable {
    private final Shape shape;
    private final ScanPlan plan;
    private final Position positions;
    private final List<SuffixScan> scans = new ArrayList<>();

    /** If true, a position equals the current suffix. */
    private final boolean plain;

    private byte[] suffix = new byte[0];
    private byte[] position = new byte[0];
    private int pathStart;

    /**
     * @param start null for the start of the query
     */
    JoinWalk(Shape shape, ScanPlan plan, RowReader reader, @Nullable Point start, Work work) {
        this.shape = shape;
        this.plan = plan;
        this.positions = new Position(shape);
        this.plain = !plan.reverse() && plan.columns().size() == shape.columns().size();
        Interval bounds = start == null ? plan.bounds() : plan.bounds().and(rest(start));
        if (!bounds.isEmpty()) {
            for (ScanPlan.IndexScan scan : plan.scans()) {
                scans.add(new SuffixScan(reader, scan, bounds, plan.reverse(), work));
            }
        }
    }

    boolean next() {
        while (!scans.isEmpty() && scans.getFirst().next() && join()) {
            if (accept()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Skips the rest of the current group: all results whose first columns equal those of the
     * current one.
     *
     * @param columns number of columns that define a group
     */
    boolean nextGroup(int columns) {
        byte[] equal = new byte[0];
        int index = 0;
        for (byte[] column : positions.columns(position).subList(0, columns)) {
            if (plan.constants().get(index++) == null) {
                equal = Bytes.concat(equal, plan.reverse() ? Interval.invert(column) : column);
            }
        }
        // Without such columns all remaining results are in the same group.
        if (equal.length == 0) {
            return false;
        }
        byte[] edge = plan.reverse() ? equal : Interval.after(equal);
        if (!scans.getFirst().seek(edge) || !join()) {
            return false;
        }
        return accept() || next();
    }

    /**
     * Advances from the position of the first scan to the first position on which all scans agree.
     */
    private boolean join() {
        suffix = scans.getFirst().suffix();
        int agreed = 1;
        for (int i = 1; agreed < scans.size(); i++) {
            SuffixScan scan = scans.get(i % scans.size());
            if (!scan.seek(suffix)) {
                return false;
            }
            if (scan.compare(suffix) == 0) {
                agreed++;
            } else {
                suffix = scan.suffix();
                agreed = 1;
            }
        }
        return true;
    }

    private boolean accept() {
        int at = 0;
        int index = 0;
        for (Column column : plan.columns()) {
            int end = ValueCodec.skip(suffix, at, column.order());
            Interval filter = plan.filters().get(index++);
            if (filter != null && !filter.contains(suffix, at, end)) {
                return false;
            }
            at = end;
        }
        pathStart = at;
        if (!plan.keys().contains(suffix, at, suffix.length)) {
            return false;
        }
        position = plain ? suffix : assembled();
        return true;
    }

    private byte[] assembled() {
        List<byte[]> columns = new ArrayList<>(shape.columns().size());
        int at = 0;
        int index = 0;
        for (byte[] constant : plan.constants()) {
            if (constant != null) {
                columns.add(constant);
                continue;
            }
            int end = ValueCodec.skip(suffix, at, plan.columns().get(index++).order());
            columns.add(
                    plan.reverse()
                            ? Interval.invert(suffix, at, end)
                            : Arrays.copyOfRange(suffix, at, end));
            at = end;
        }
        return positions.of(columns, path());
    }

    /** The suffixes whose positions come after the point. */
    private Interval rest(Point start) {
        byte[] equal = new byte[0];
        int index = 0;
        for (byte[] column : positions.columns(start.position())) {
            byte[] constant = plan.constants().get(index++);
            if (constant == null) {
                equal = Bytes.concat(equal, plan.reverse() ? Interval.invert(column) : column);
                continue;
            }
            int order = Bytes.compare(constant, column);
            if (order != 0) {
                return beside(equal, order > 0);
            }
        }
        byte[] last = Bytes.concat(equal, positions.path(start.position()));
        // The successor of a path is just behind it, before its descendants.
        byte[] edge = start.before() == plan.reverse() ? Bytes.successor(last) : last;
        return plan.reverse() ? Interval.below(edge) : Interval.atLeast(edge);
    }

    /** Everything after the rows with these columns, including or excluding those rows. */
    private Interval beside(byte[] equal, boolean with) {
        if (equal.length == 0) {
            return with ? Interval.ALL : new Interval(equal, equal);
        }
        byte[] edge = with == plan.reverse() ? Interval.after(equal) : equal;
        return plan.reverse() ? Interval.below(edge) : Interval.atLeast(edge);
    }

    /** Comparable with the positions of other walks of the same shape. */
    byte[] position() {
        return position;
    }

    byte[] path() {
        return Arrays.copyOfRange(suffix, pathStart, suffix.length);
    }

    ScanPlan plan() {
        return plan;
    }

    /** The row's payload, and version; defined only if the scan is over entities. */
    byte[] rowValue() {
        return scans.getFirst().value();
    }

    long rowVersion() {
        return scans.getFirst().version();
    }

    @Override
    public void close() {
        scans.forEach(SuffixScan::close);
    }
}
