package petrichor.transactions.rows;

import petrichor.transactions.RowCursor;

/**
 * A cursor with a check after each step.
 *
 * @param check fails if the row, or the end, may be wrong
 */
record CheckedCursor(RowCursor rows, Runnable check) implements RowCursor {
    @Override
    public boolean next() {
        boolean more = rows.next();
        check.run();
        return more;
    }

    @Override
    public byte[] key() {
        return rows.key();
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
        rows.close();
    }
}
