package petrichor.kv.rocksdb;

import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;

/**
 * A scan over RocksDB, which checks the bounds itself, so that no row outside them is ever copied
 * or even loaded. The monitor protects against closing the folder during the scan; otherwise it is
 * uncontended.
 */
final class RocksScan implements Scan, RocksFolder.Tenant {
    private final RocksFolder folder;
    private final ReadOptions options;
    private final @Nullable Slice lowerBound;
    private final @Nullable Slice upperBound;
    private final RocksIterator rows;
    private final Direction direction;
    private int left;
    private boolean started;
    private boolean onRow;
    private boolean freed;

    RocksScan(
            RocksFolder folder,
            RocksDB db,
            ColumnFamilyHandle table,
            ReadOptions base,
            KeyRange range,
            Direction direction,
            int limit) {
        this.folder = folder;
        this.direction = direction;
        this.left = range.isEmpty() ? 0 : limit;
        byte[] to = range.to();
        this.lowerBound = range.from().length == 0 ? null : new Slice(range.from());
        this.upperBound = to == null ? null : new Slice(to);
        this.options = new ReadOptions(base);
        if (lowerBound != null) {
            options.setIterateLowerBound(lowerBound);
        }
        if (upperBound != null) {
            options.setIterateUpperBound(upperBound);
        }
        this.rows = db.newIterator(table, options);
    }

    @Override
    public synchronized boolean next() {
        requireOpen();
        if (left == 0) {
            onRow = false;
            return false;
        }
        step();
        onRow = rows.isValid();
        left = onRow ? left - 1 : 0;
        if (!onRow) {
            requireEndWithoutError();
        }
        return onRow;
    }

    private void step() {
        boolean first = !started;
        started = true;
        switch (direction) {
            case FORWARD -> {
                if (first) {
                    rows.seekToFirst();
                } else {
                    rows.next();
                }
            }
            case REVERSE -> {
                if (first) {
                    rows.seekToLast();
                } else {
                    rows.prev();
                }
            }
        }
    }

    private void requireEndWithoutError() {
        try {
            rows.status();
        } catch (RocksDBException e) {
            throw RocksFailures.reading(folder.path(), e);
        }
    }

    @Override
    public synchronized byte[] key() {
        requireOnRow();
        return rows.key();
    }

    @Override
    public synchronized byte[] value() {
        requireOnRow();
        return rows.value();
    }

    private void requireOnRow() {
        requireOpen();
        if (!onRow) {
            throw new NoSuchElementException("the scan is not on a row");
        }
    }

    private void requireOpen() {
        if (freed) {
            throw StoreFailures.closed();
        }
    }

    @Override
    public void close() {
        folder.release(this);
    }

    @Override
    public synchronized void free(RocksDB db) {
        if (freed) {
            return;
        }
        freed = true;
        rows.close();
        options.close();
        if (lowerBound != null) {
            lowerBound.close();
        }
        if (upperBound != null) {
            upperBound.close();
        }
    }
}
