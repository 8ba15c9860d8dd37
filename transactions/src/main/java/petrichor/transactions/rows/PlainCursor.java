package petrichor.transactions.rows;

import petrichor.kv.Scan;
import petrichor.transactions.RowCursor;

/** Iterates over a view of exactly the wanted version. */
final class PlainCursor implements RowCursor {
    private final Scan scan;
    private final ReadPoint point;
    private byte[] value = {};
    private boolean closed;

    /**
     * @param point already entered; left when the cursor is closed
     */
    PlainCursor(Scan scan, ReadPoint point) {
        this.scan = scan;
        this.point = point;
    }

    @Override
    public boolean next() {
        boolean found = scan.next();
        if (found) {
            value = scan.value();
        }
        return found;
    }

    @Override
    public byte[] key() {
        return TableLayout.keyOfRow(scan.key());
    }

    @Override
    public long version() {
        return TableLayout.versionOf(value);
    }

    @Override
    public byte[] value() {
        return TableLayout.payloadOf(value);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            scan.close();
            point.leave();
        }
    }
}
