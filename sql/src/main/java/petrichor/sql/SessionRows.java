package petrichor.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Errors;

/** Rows that H2 computes as they are read. Confined to the session's thread. */
final class SessionRows implements RowIterator {
    private final Block owner;
    private final RowIterator rows;
    private final Runnable begin;
    private final Runnable end;
    private final Runnable whenClosed;
    private boolean closed;

    /**
     * @param begin before each row is computed
     * @param end after each row is computed
     */
    SessionRows(Block owner, RowIterator rows, Runnable begin, Runnable end, Runnable whenClosed) {
        this.owner = owner;
        this.rows = rows;
        this.begin = begin;
        this.end = end;
        this.whenClosed = whenClosed;
    }

    @Override
    public boolean next() {
        if (closed) {
            throw new SqlException(
                    SqlState.INVALID_CURSOR,
                    "the rows are gone: the transaction has ended, was rolled back to a savepoint,"
                            + " or has changed the schema");
        }
        begin.run();
        try {
            return rows.next();
        } catch (RuntimeException | StackOverflowError failed) {
            owner.fail();
            throw H2Errors.translate(failed, List.of());
        } finally {
            end.run();
        }
    }

    @Override
    public @Nullable Object value(int column) {
        return rows.value(column);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            rows.close();
            owner.closed(this);
            whenClosed.run();
        }
    }
}
