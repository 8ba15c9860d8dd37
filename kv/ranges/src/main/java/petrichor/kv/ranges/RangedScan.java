package petrichor.kv.ranges;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;

/**
 * Scans partition by partition, page by page, and prefetches the next page of the same partition.
 * Confined to one thread.
 */
final class RangedScan implements Scan {
    private static final int ROWS_AT_FIRST = 100;

    private final PartitionedRows rows;
    private final RangeDirectory directory;
    private final RangedReads reads;
    private final RangeLimits limits;
    private final Runnable requireOpen;
    private final String table;
    private final Direction direction;

    /** The part of the range not read yet; null at the end. */
    private @Nullable KeyRange left;

    private int rowsLeft;
    private int pageRows = ROWS_AT_FIRST;
    private Iterator<PartitionedRows.Row> page = List.<PartitionedRows.Row>of().iterator();
    private @Nullable Request ahead;
    private PartitionedRows.@Nullable Row row;
    private boolean closed;

    /** A requested page. */
    private record Request(
            RangeEntry line, KeyRange range, CompletableFuture<PartitionedRows.Page> answer) {}

    RangedScan(
            PartitionedRows rows,
            RangeDirectory directory,
            RangedReads reads,
            RangeLimits limits,
            Runnable requireOpen,
            String table,
            KeyRange range,
            Direction direction,
            int limit) {
        this.rows = rows;
        this.directory = directory;
        this.reads = reads;
        this.limits = limits;
        this.requireOpen = requireOpen;
        this.table = table;
        this.direction = direction;
        this.left = range.isEmpty() ? null : range;
        this.rowsLeft = limit;
    }

    @Override
    public boolean next() {
        if (closed) {
            throw StoreFailures.closed();
        }
        requireOpen.run();
        row = null;
        while (rowsLeft > 0 && !page.hasNext()) {
            KeyRange range = left;
            if (range == null) {
                return false;
            }
            turn(range);
        }
        if (rowsLeft == 0) {
            return false;
        }
        rowsLeft--;
        row = page.next();
        return true;
    }

    /** Gets the next page, unless the partition was replaced. */
    private void turn(KeyRange range) {
        Request request = ahead != null ? ahead : asked(line(range), range);
        ahead = null;
        RangeEntry line = request.line;
        PartitionedRows.Page read = Replies.await(request.answer);
        if (!reads.holds(table, line, read.state())) {
            return;
        }
        page = read.rows().iterator();
        adapt(read.rows());
        byte[] resume = read.resumeAt();
        left = resume == null ? beyond(range, line) : from(range, resume);
        if (resume != null && left != null && rowsLeft > read.rows().size()) {
            ahead = asked(line, left);
        }
    }

    private Request asked(RangeEntry line, KeyRange range) {
        int rowsMax = Math.min(pageRows, rowsLeft);
        KeyRange here = PartitionSplit.shared(line.range(), range);
        return new Request(line, range, rows.page(line.partition(), here, direction, rowsMax));
    }

    private RangeEntry line(KeyRange range) {
        RangeMap map = directory.of(table);
        byte[] to = range.to();
        return switch (direction) {
            case FORWARD -> map.at(range.from());
            case REVERSE -> to == null ? map.last() : map.below(to);
        };
    }

    /** The part of the range after this partition. */
    private @Nullable KeyRange beyond(KeyRange range, RangeEntry line) {
        byte[] end =
                switch (direction) {
                    case FORWARD -> line.range().to();
                    case REVERSE -> line.range().from();
                };
        return end == null ? null : from(range, end);
    }

    private @Nullable KeyRange from(KeyRange range, byte[] at) {
        byte[] to = range.to();
        return switch (direction) {
            case FORWARD -> to != null && Bytes.compare(at, to) >= 0 ? null : new KeyRange(at, to);
            case REVERSE ->
                    Bytes.compare(at, range.from()) <= 0 ? null : new KeyRange(range.from(), at);
        };
    }

    /** Adapts the page size to about the same number of bytes, for rows of any size. */
    private void adapt(List<PartitionedRows.Row> rowsRead) {
        if (rowsRead.isEmpty()) {
            return;
        }
        long bytes = 0;
        for (PartitionedRows.Row one : rowsRead) {
            bytes += one.key().length + one.value().length;
        }
        long rowBytes = 1 + bytes / rowsRead.size();
        pageRows = Math.clamp(limits.pageBytes() / rowBytes, 1, limits.pageRowsMax());
    }

    @Override
    public byte[] key() {
        return current().key();
    }

    @Override
    public byte[] value() {
        return current().value();
    }

    private PartitionedRows.Row current() {
        PartitionedRows.Row at = row;
        if (at == null) {
            throw new NoSuchElementException("the scan is not on a row");
        }
        return at;
    }

    @Override
    public void close() {
        closed = true;
        ahead = null;
        row = null;
    }
}
