package petrichor.kv.hbase;

import java.io.IOException;
import java.util.NoSuchElementException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;

/**
 * Scans a table. The driver prefetches pages while rows are read, and resumes by itself when a
 * region moves or its server restarts.
 */
final class HBaseScan implements Scan {
    /** Rows per page; a page also ends at HBase's own 2 MiB. */
    private static final int PAGE_ROWS = 1_000;

    /** Requested parts of a row. */
    enum Wanted {
        KEYS,
        VALUES
    }

    private final HBaseConnection connection;
    private final String table;
    private final HBaseTableMetadata notes;
    private final KeyRange range;
    private final Direction direction;
    private final Wanted wanted;
    private int left;
    private @Nullable ResultScanner pages;
    private @Nullable Cell row;
    private boolean closed;

    /** The server counts rows that are not valid here, and may have ended too early. */
    private boolean skipped;

    private byte @Nullable [] last;

    HBaseScan(
            HBaseConnection connection,
            HBaseTableMetadata notes,
            String table,
            KeyRange range,
            Direction direction,
            int limit,
            Wanted wanted) {
        this.connection = connection;
        this.table = table;
        this.notes = notes;
        this.range = range;
        this.direction = direction;
        this.wanted = wanted;
        this.left = range.isEmpty() ? 0 : limit;
        if (left > 0) {
            this.pages = pages();
        }
    }

    private ResultScanner pages() {
        return connection.table(table).getScanner(request());
    }

    /** Requests the rows after the last one. */
    private org.apache.hadoop.hbase.client.Scan request() {
        byte[] after = last;
        byte[] first = StoredRow.row(range.from());
        byte[] to = range.to();
        byte[] end = to == null ? StoredRow.afterRows() : StoredRow.row(to);
        var request =
                new org.apache.hadoop.hbase.client.Scan()
                        .addColumn(StoredRow.FAMILY, StoredRow.COLUMN)
                        .setFilter(
                                switch (wanted) {
                                    case KEYS -> StoredRow.keysWithoutTombstones();
                                    case VALUES -> StoredRow.withoutTombstones();
                                })
                        .setCaching(Math.min(left, PAGE_ROWS));
        switch (direction) {
            case FORWARD ->
                    request.withStartRow(after == null ? first : after, after == null)
                            .withStopRow(end, false);
            case REVERSE ->
                    request.setReversed(true)
                            .withStartRow(after == null ? end : after, false)
                            .withStopRow(first, true);
        }
        if (left <= PAGE_ROWS) {
            // Ends the server's scanner with the page that completes the limit.
            request.setLimit(left).setReadType(org.apache.hadoop.hbase.client.Scan.ReadType.PREAD);
        }
        return request;
    }

    @Override
    public boolean next() {
        if (closed) {
            throw StoreFailures.closed();
        }
        row = null;
        while (left > 0) {
            Result next = nextStored();
            if (next == null && skipped) {
                reopen();
            } else if (next == null) {
                left = 0;
            } else {
                Cell cell = next.rawCells()[0];
                last = next.getRow();
                if (cell.getTimestamp() >= notes.deletedRanges().at(StoredRow.key(cell))) {
                    left--;
                    row = cell;
                    return true;
                }
                skipped = true;
            }
        }
        return false;
    }

    private @Nullable Result nextStored() {
        ResultScanner open = pages;
        if (open == null) {
            return null;
        }
        connection.requireOpen();
        try {
            return open.next();
        } catch (IOException | RuntimeException failed) {
            throw connection.failure(table, failed);
        }
    }

    private void reopen() {
        closePages();
        skipped = false;
        pages = pages();
    }

    @Override
    public byte[] key() {
        return StoredRow.key(current());
    }

    @Override
    public byte[] value() {
        byte[] value = StoredRow.value(current());
        if (value == null) {
            throw new IllegalStateException("a tombstone came through the server's filter");
        }
        return value;
    }

    private Cell current() {
        Cell at = row;
        if (at == null) {
            throw new NoSuchElementException("the scan is not on a row");
        }
        return at;
    }

    /** The HBase timestamp of the current row. */
    long timestamp() {
        return current().getTimestamp();
    }

    @Override
    public void close() {
        closed = true;
        row = null;
        closePages();
    }

    private void closePages() {
        ResultScanner open = pages;
        pages = null;
        if (open != null) {
            open.close();
        }
    }
}
