package petrichor.transactions.rows;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.RowCursor;

/**
 * Records which part of its range was actually read, and reports it when closed: up to the last row
 * returned, or the whole range if the end was reached. Changes beyond that do not affect the
 * reader.
 */
public final class RecordingCursor implements RowCursor {
    private final RowCursor rows;
    private final KeyRange range;
    private final Direction direction;
    private final Consumer<KeyRange> seen;
    private byte @Nullable [] last;
    private boolean reachedEnd;
    private boolean closed;

    public RecordingCursor(
            RowCursor rows, KeyRange range, Direction direction, Consumer<KeyRange> seen) {
        this.rows = rows;
        this.range = range;
        this.direction = direction;
        this.seen = seen;
    }

    @Override
    public boolean next() {
        if (rows.next()) {
            last = rows.key();
            return true;
        }
        reachedEnd = true;
        return false;
    }

    /** The range read so far; null if nothing was read. */
    public @Nullable KeyRange covered() {
        if (reachedEnd) {
            return range;
        }
        if (last == null) {
            return null;
        }
        return switch (direction) {
            case FORWARD -> new KeyRange(range.from(), Bytes.successor(last));
            case REVERSE -> new KeyRange(last, range.to());
        };
    }

    @Override
    public byte[] key() {
        if (last == null) {
            throw new IllegalStateException("no row: next() was not called or returned false");
        }
        return last;
    }

    @Override
    public long version() {
        return rows.version();
    }

    @Override
    public byte[] value() {
        return rows.value();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        rows.close();
        KeyRange covered = covered();
        if (covered != null) {
            seen.accept(covered);
        }
    }
}
