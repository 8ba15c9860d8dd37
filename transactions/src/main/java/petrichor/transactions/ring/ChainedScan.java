package petrichor.transactions.ring;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.Scan;
import petrichor.transactions.migration.MigrationStores;

/** Scans adjacent ranges in several stores, one after another. */
final class ChainedScan implements Scan {
    private final MigrationStores stores;
    private final String table;
    private final Iterator<RingMap.Range> parts;
    private final Direction direction;
    private int left;
    private @Nullable Scan current;

    /**
     * @param parts in the order of the scan
     */
    ChainedScan(
            MigrationStores stores,
            String table,
            List<RingMap.Range> parts,
            Direction direction,
            int limit) {
        this.stores = stores;
        this.table = table;
        this.parts = parts.iterator();
        this.direction = direction;
        this.left = limit;
    }

    @Override
    public boolean next() {
        while (left > 0) {
            Scan scan = current;
            if (scan == null) {
                if (!parts.hasNext()) {
                    return false;
                }
                RingMap.Range part = parts.next();
                scan = stores.store(part.store()).scan(table, part.keys(), direction, left);
                current = scan;
            }
            if (scan.next()) {
                left--;
                return true;
            }
            close();
        }
        return false;
    }

    private Scan here() {
        Scan scan = current;
        if (scan == null) {
            throw new NoSuchElementException("the scan is not on a row");
        }
        return scan;
    }

    @Override
    public byte[] key() {
        return here().key();
    }

    @Override
    public byte[] value() {
        return here().value();
    }

    @Override
    public void close() {
        Scan scan = current;
        if (scan != null) {
            current = null;
            scan.close();
        }
    }
}
