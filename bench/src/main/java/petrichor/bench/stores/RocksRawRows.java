package petrichor.bench.stores;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;
import petrichor.bench.drivers.RawRows;

/** RocksDB with its default settings and synced writes, in a folder of its own. */
final class RocksRawRows implements RawRows {
    private final Options options;
    private final WriteOptions synced;
    private final RocksDB db;

    RocksRawRows(Path folder) {
        RocksDB.loadLibrary();
        options = new Options().setCreateIfMissing(true);
        synced = new WriteOptions().setSync(true);
        try {
            db = RocksDB.open(options, folder.toString());
        } catch (RocksDBException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        try {
            return db.get(key);
        } catch (RocksDBException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Override
    public void put(byte[] key, byte[] value) {
        try {
            db.put(synced, key, value);
        } catch (RocksDBException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** The owner deletes the folder. */
    @Override
    public void close() {
        db.close();
        synced.close();
        options.close();
    }
}
