package petrichor.sql;

import org.jspecify.annotations.Nullable;

/** Closes the transaction of a single query together with its rows. */
record ClosingRows(RowIterator rows, Block single) implements RowIterator {
    @Override
    public boolean next() {
        return rows.next();
    }

    @Override
    public @Nullable Object value(int column) {
        return rows.value(column);
    }

    @Override
    public void close() {
        rows.close();
        single.close();
    }
}
