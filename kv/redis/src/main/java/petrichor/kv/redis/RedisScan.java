package petrichor.kv.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;

/**
 * Reads a range page by page, each in one round trip, and prefetches the next page when half of the
 * current one is read. A page shows its rows at one moment; different pages show different moments.
 */
final class RedisScan implements Scan {
    /** Small, for scans that stop soon. */
    static final int FIRST_PAGE_ROWS = 100;

    static final int PAGE_ROWS = 1000;

    /** A page ends with the row that exceeds this size. */
    static final int PAGE_BYTES = 1 << 20;

    private final Scripts scripts;
    private final Keyspace names;
    private final String table;
    private final Direction direction;
    private byte[] from;
    private byte[] to;

    /** Remaining row limit after this page. */
    private int left;

    private Page page;

    /** Index of the current row in the page. */
    private int row = -1;

    /** Requested, but not read yet. */
    private CheckedConnection.@Nullable Question<List<Object>> following;

    private boolean closed;

    /** The script's response: whether more rows may follow, then keys and values. */
    private record Page(List<Object> answer) {
        static final Page NONE = new Page(List.of(0L));

        int rows() {
            return answer.size() / 2;
        }

        byte[] key(int row) {
            return (byte[]) answer.get(1 + 2 * row);
        }

        byte[] value(int row) {
            return (byte[]) answer.get(2 + 2 * row);
        }

        boolean isOfNoTable() {
            return (Long) answer.getFirst() < 0;
        }

        boolean mayBeFollowed() {
            return (Long) answer.getFirst() > 0;
        }
    }

    RedisScan(
            Scripts scripts,
            Keyspace names,
            String table,
            KeyRange range,
            Direction direction,
            int limit) {
        this.scripts = scripts;
        this.names = names;
        this.table = table;
        this.direction = direction;
        this.from = LexBounds.from(range);
        this.to = LexBounds.to(range);
        this.left = limit;
        // Even with limit 0: the table may not exist.
        this.page = taken(ask(Math.min(limit, FIRST_PAGE_ROWS)));
    }

    private CheckedConnection.Question<List<Object>> ask(int rows) {
        return scripts.askAhead(
                Script.SCAN,
                new byte[][] {names.tables(), names.order(table), names.values(table)},
                table.getBytes(US_ASCII),
                from,
                to,
                (direction == Direction.REVERSE ? "REV" : "").getBytes(US_ASCII),
                Integer.toString(rows).getBytes(US_ASCII),
                Integer.toString(PAGE_BYTES).getBytes(US_ASCII));
    }

    private Page taken(CheckedConnection.Question<List<Object>> question) {
        Page next = new Page(question.answer().orThrow());
        if (next.isOfNoTable()) {
            throw StoreFailures.noSuchTable(table);
        }
        left -= next.rows();
        if (!next.mayBeFollowed()) {
            left = 0;
        }
        if (next.rows() > 0) {
            byte[] beyond = LexBounds.without(next.key(next.rows() - 1));
            switch (direction) {
                case FORWARD -> from = beyond;
                case REVERSE -> to = beyond;
            }
        }
        return next;
    }

    @Override
    public boolean next() {
        if (closed) {
            throw StoreFailures.closed();
        }
        row++;
        if (following == null && left > 0 && row >= page.rows() / 2) {
            following = ask(Math.min(left, PAGE_ROWS));
        }
        if (row >= page.rows() && following != null) {
            CheckedConnection.Question<List<Object>> asked = following;
            following = null;
            page = taken(asked);
            row = 0;
        }
        if (row >= page.rows()) {
            page = Page.NONE;
            row = 0;
            return false;
        }
        return true;
    }

    @Override
    public byte[] key() {
        requireRow();
        return page.key(row);
    }

    @Override
    public byte[] value() {
        requireRow();
        return page.value(row);
    }

    private void requireRow() {
        if (row < 0 || row >= page.rows()) {
            throw new NoSuchElementException("the scan is not on a row");
        }
    }

    @Override
    public void close() {
        closed = true;
        page = Page.NONE;
        following = null;
    }
}
