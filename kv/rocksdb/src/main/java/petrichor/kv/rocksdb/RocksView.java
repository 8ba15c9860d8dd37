package petrichor.kv.rocksdb;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.Snapshot;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreView;

/**
 * Reads of a folder at a RocksDB snapshot (a sequence number; compaction keeps the versions visible
 * at it) or, without one, of the newest state. Threads may read while another one closes; scans
 * that were opened before continue.
 */
final class RocksView implements StoreView, RocksFolder.Tenant {
    private final RocksFolder folder;
    private final @Nullable Snapshot snapshot;
    private final ReadOptions options = new ReadOptions();

    /** Held for reading by every read, for writing to free. */
    private final StampedLock use = new StampedLock();

    private boolean freed;

    RocksView(RocksFolder folder, @Nullable Snapshot snapshot) {
        this.folder = folder;
        this.snapshot = snapshot;
        if (snapshot != null) {
            options.setSnapshot(snapshot);
        }
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return reading(db -> db.get(folder.handle(table), options, key));
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        if (keys.size() == 1) {
            // The call for many costs three times that for one.
            values.add(get(table, keys.getFirst()));
            return values;
        }
        reading(
                db -> {
                    // The native call needs the table once per key, and at least one.
                    List<ColumnFamilyHandle> tables =
                            Collections.nCopies(keys.size(), folder.handle(table));
                    return !keys.isEmpty()
                            && values.addAll(db.multiGetAsList(options, tables, keys));
                });
        return values;
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        StoreFailures.requireLimit(limit);
        return reading(
                db ->
                        folder.settle(
                                new RocksScan(
                                        folder,
                                        db,
                                        folder.handle(table),
                                        options,
                                        range,
                                        direction,
                                        limit)));
    }

    private <T extends @Nullable Object> T reading(RocksFolder.Call<T> call) {
        return folder.reading(
                db -> {
                    long stamp = use.readLock();
                    try {
                        if (freed) {
                            throw StoreFailures.closed();
                        }
                        return call.run(db);
                    } finally {
                        use.unlockRead(stamp);
                    }
                });
    }

    boolean hasSnapshot() {
        return snapshot != null;
    }

    @Override
    public void close() {
        folder.release(this);
    }

    @Override
    public void free(RocksDB db) {
        long stamp = use.writeLock();
        try {
            if (freed) {
                return;
            }
            freed = true;
            options.close();
            if (snapshot != null) {
                db.releaseSnapshot(snapshot);
            }
        } finally {
            use.unlockWrite(stamp);
        }
    }
}
