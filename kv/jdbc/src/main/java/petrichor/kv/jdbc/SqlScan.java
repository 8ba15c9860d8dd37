package petrichor.kv.jdbc;

import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.jdbc.SqlReads.PageRow;

/**
 * A scan in pages, each containing the first rows of the rest of the range: no cursor stays open on
 * the server, and each page may come from another node. Concurrently written rows may or may not be
 * seen.
 *
 * <p>A page is in the order of heads, which is the order of keys as long as no head is full. From
 * the first full head on the rest of the page is dropped, and all rows with that head are read in
 * the order of their tails, before the scan continues after them.
 */
final class SqlScan implements Scan {
    /** Most scans need few rows. */
    private static final int FIRST_PAGE_ROWS = 64;

    private static final int PAGE_ROWS_MAX = 1_024;

    /** Target size of a page, estimated from the rows of the previous one. */
    private static final long PAGE_BYTES = 4L << 20;

    private final SqlStore store;
    private final String table;
    private final Direction direction;
    private @Nullable KeyRange left;
    private int rowsLeft;
    private int pageRows = FIRST_PAGE_ROWS;
    private Iterator<PageRow> page = Collections.emptyIterator();
    private @Nullable PageRow row;
    private boolean closed;

    /** Reads the first page, so that a missing table is detected immediately. */
    SqlScan(SqlStore store, String table, KeyRange range, Direction direction, int limit) {
        this.store = store;
        this.table = table;
        this.direction = direction;
        this.left = range;
        this.rowsLeft = limit;
        fetch();
    }

    @Override
    public boolean next() {
        if (closed) {
            throw StoreFailures.closed();
        }
        row = null;
        while (rowsLeft > 0 && !page.hasNext() && left != null) {
            fetch();
        }
        if (rowsLeft > 0 && page.hasNext()) {
            row = page.next();
            rowsLeft--;
        }
        return row != null;
    }

    private void fetch() {
        KeyRange range = left;
        if (range == null) {
            return;
        }
        int asked = Math.min(pageRows, rowsLeft);
        List<PageRow> rows =
                store.repeated(
                        table,
                        connection ->
                                SqlReads.page(
                                        connection,
                                        store.dialect(),
                                        table,
                                        range,
                                        direction,
                                        asked));
        List<PageRow> ordered = rows.subList(0, firstFullHead(rows));
        if (rows.isEmpty()) {
            show(rows, null);
        } else if (ordered.isEmpty()) {
            fetchTails(range, rows.getFirst().head(), asked);
        } else {
            boolean last = ordered.size() < asked && ordered.size() == rows.size();
            show(ordered, last ? null : behind(range, ordered));
        }
    }

    /** Index of the first row whose head is full; the number of rows if there is none. */
    private static int firstFullHead(List<PageRow> rows) {
        for (int i = 0; i < rows.size(); i++) {
            if (SplitKey.isFull(rows.get(i).head())) {
                return i;
            }
        }
        return rows.size();
    }

    private void fetchTails(KeyRange range, byte[] head, int asked) {
        List<PageRow> rows =
                store.repeated(
                        table,
                        connection ->
                                SqlReads.pageOfTails(
                                        connection,
                                        store.dialect(),
                                        table,
                                        head,
                                        range,
                                        direction,
                                        asked));
        show(rows, rows.size() < asked ? behindHead(range, head) : behind(range, rows));
    }

    private void show(List<PageRow> rows, @Nullable KeyRange after) {
        page = rows.iterator();
        left = after;
        long bytes = 1;
        for (PageRow one : rows) {
            bytes += one.head().length + one.tail().length + one.value().length;
        }
        long fitting = PAGE_BYTES * Math.max(1, rows.size()) / bytes;
        pageRows = Math.clamp(Math.min(fitting, 4L * pageRows), 1, PAGE_ROWS_MAX);
    }

    private @Nullable KeyRange behind(KeyRange range, List<PageRow> rows) {
        byte[] last = key(rows.getLast());
        return switch (direction) {
            case FORWARD -> fromOn(range, Bytes.successor(last));
            case REVERSE -> new KeyRange(range.from(), last);
        };
    }

    private @Nullable KeyRange behindHead(KeyRange range, byte[] head) {
        return switch (direction) {
            case FORWARD -> {
                byte[] next = Bytes.afterPrefix(head);
                yield next == null ? null : fromOn(range, next);
            }
            case REVERSE ->
                    Bytes.compare(range.from(), head) < 0 ? new KeyRange(range.from(), head) : null;
        };
    }

    private static @Nullable KeyRange fromOn(KeyRange range, byte[] from) {
        byte[] to = range.to();
        return to == null || Bytes.compare(from, to) < 0 ? new KeyRange(from, to) : null;
    }

    private static byte[] key(PageRow row) {
        return SplitKey.joined(row.head(), row.tail());
    }

    @Override
    public byte[] key() {
        return key(current());
    }

    @Override
    public byte[] value() {
        return current().value();
    }

    private PageRow current() {
        PageRow at = row;
        if (at == null) {
            throw new NoSuchElementException("the scan is not on a row");
        }
        return at;
    }

    @Override
    public void close() {
        closed = true;
        row = null;
        page = Collections.emptyIterator();
    }
}
