package petrichor.sql;

import org.jspecify.annotations.Nullable;

/**
 * Rows of a result, read on demand: a portal stops wherever its row limit is reached and continues
 * later. Confined to the session's thread; invalid after the session's transaction has ended.
 */
public interface RowIterator extends AutoCloseable {
    /** Moves to the next row; false at the end. */
    boolean next();

    /** A value of the current row, of the class that {@link petrichor.tables.DataType} names. */
    @Nullable Object value(int column);

    @Override
    void close();
}
