package petrichor.entities.query;

import java.util.Arrays;
import petrichor.base.Bytes;
import petrichor.entities.query.ScanPlan.IndexScan;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;

/**
 * Scans the rows of one index within bounds, exposing their suffixes: the bytes after the prefix.
 * Can seek forward to a suffix. Confined to one thread; holds resources until it is closed.
 */
final class SuffixScan implements AutoCloseable {
    /** Stepping over this many rows is cheaper than opening a new scan. */
    private static final int STEPS_BEFORE_SEEK = 8;

    private final RowReader reader;
    private final byte[] prefix;
    private final Direction direction;
    private final Work work;
    private Interval bounds;
    private RowCursor cursor;
    private byte[] row = new byte[0];

    SuffixScan(RowReader reader, IndexScan scan, Interval bounds, boolean reverse, Work work) {
        this.reader = reader;
        this.prefix = scan.prefix();
        this.direction = reverse ? Direction.REVERSE : Direction.FORWARD;
        this.work = work;
        this.bounds = bounds;
        this.cursor = open();
    }

    private RowCursor open() {
        Interval rows = bounds.behind(prefix);
        return reader.scan(
                rows.isEmpty()
                        ? new KeyRange(prefix, prefix)
                        : new KeyRange(rows.from(), rows.to()),
                direction);
    }

    boolean next() {
        if (!cursor.next()) {
            return false;
        }
        work.entryScanned();
        row = cursor.key();
        return true;
    }

    /** Advances to the first row whose suffix is at or after this one; false at the end. */
    boolean seek(byte[] suffix) {
        int steps = 0;
        while (row.length == 0 || compare(suffix) < 0) {
            if (steps++ == STEPS_BEFORE_SEEK) {
                bounds =
                        direction == Direction.FORWARD
                                ? bounds.and(Interval.atLeast(suffix))
                                : bounds.and(Interval.below(Bytes.successor(suffix)));
                cursor.close();
                cursor = open();
            }
            if (!next()) {
                return false;
            }
        }
        return true;
    }

    /** Negative if this scan is still before the suffix, in scan direction. */
    int compare(byte[] suffix) {
        int forward =
                Arrays.compareUnsigned(row, prefix.length, row.length, suffix, 0, suffix.length);
        return direction == Direction.FORWARD ? forward : -forward;
    }

    byte[] suffix() {
        return Arrays.copyOfRange(row, prefix.length, row.length);
    }

    byte[] value() {
        return cursor.value();
    }

    long version() {
        return cursor.version();
    }

    @Override
    public void close() {
        cursor.close();
    }
}
