package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a cursor and its position: before the first row, on a row, or after the last one.
 * Rows that were read are kept for moves backward, up to a limit. Confined to the session's thread.
 */
final class CursorRows {
    /** Rows that are kept, also of a cursor WITH HOLD. */
    static final int KEPT_MAX = 100_000;

    /** Whether moves backward are possible. */
    enum Scroll {
        REQUIRED,
        /** Until too many rows have been read. */
        POSSIBLE,
        NONE
    }

    private final RowIterator source;
    private final int columns;
    private final Scroll scroll;
    private final List<List<@Nullable Object>> kept = new ArrayList<>();
    private long position;
    private long read;
    private boolean ended;
    private boolean forgotten;

    CursorRows(RowIterator source, int columns, Scroll scroll) {
        this.source = source;
        this.columns = columns;
        this.scroll = scroll;
        this.forgotten = scroll == Scroll.NONE;
    }

    /** Reads all rows now, for a cursor that outlives its transaction. */
    void readAll() {
        try (source) {
            while (!ended) {
                List<@Nullable Object> _ = readNext();
                if (read > KEPT_MAX) {
                    throw new SqlException(
                            SqlState.PROGRAM_LIMIT_EXCEEDED,
                            "a cursor WITH HOLD has at most "
                                    + KEPT_MAX
                                    + " rows; use one in a transaction");
                }
            }
        }
    }

    private @Nullable List<@Nullable Object> readNext() {
        if (ended || !source.next()) {
            ended = true;
            return null;
        }
        List<@Nullable Object> row = new ArrayList<>(columns);
        for (int i = 0; i < columns; i++) {
            row.add(source.value(i));
        }
        read++;
        if (!forgotten) {
            kept.add(row);
            if (kept.size() > KEPT_MAX && scroll == Scroll.REQUIRED) {
                throw new SqlException(
                        SqlState.PROGRAM_LIMIT_EXCEEDED,
                        "a SCROLL cursor has at most " + KEPT_MAX + " rows; declare it NO SCROLL");
            }
            if (kept.size() > KEPT_MAX + 1) {
                forgotten = true;
                kept.clear();
            }
        }
        return row;
    }

    /** The next rows. */
    List<List<@Nullable Object>> forward(long count) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        if (count == 0) {
            return current();
        }
        while (rows.size() < count) {
            List<@Nullable Object> row = position < read ? at(position + 1) : readNext();
            if (row == null) {
                position = read + 1;
                break;
            }
            position++;
            rows.add(row);
        }
        return rows;
    }

    /** The rows before the position, the last one first. */
    List<List<@Nullable Object>> backward(long count) {
        if (count == 0) {
            return current();
        }
        requireScroll();
        List<List<@Nullable Object>> rows = new ArrayList<>();
        while (rows.size() < count && position > 0) {
            position--;
            if (position > 0) {
                rows.add(at(position));
            }
        }
        return rows;
    }

    /** The row at a number from 1, or from the end if it is negative. */
    List<List<@Nullable Object>> absolute(long number) {
        if (number < 0) {
            requireScroll();
            long skipped = forwardAll();
            position = Math.max(0, read + 1 + number);
            return skipped < 0 ? List.of() : current();
        }
        if (number < position) {
            requireScroll();
            position = number;
            return current();
        }
        while (position < number) {
            if (forward(1).isEmpty()) {
                return List.of();
            }
        }
        return current();
    }

    List<List<@Nullable Object>> relative(long count) {
        return absolute(Math.max(0, position + count));
    }

    private long forwardAll() {
        long moved = 0;
        while (!forward(1).isEmpty()) {
            moved++;
        }
        return moved;
    }

    private List<List<@Nullable Object>> current() {
        if (position < 1 || position > read) {
            return List.of();
        }
        requireScroll();
        return List.of(at(position));
    }

    private List<@Nullable Object> at(long number) {
        return kept.get((int) (number - 1));
    }

    private void requireScroll() {
        if (forgotten) {
            throw new SqlException(
                    SqlState.NOT_IN_PREREQUISITE_STATE,
                    "cursor can only scan forward",
                    "Declare it with SCROLL option to enable backward scan.",
                    0,
                    null);
        }
    }

    void close() {
        source.close();
    }
}
