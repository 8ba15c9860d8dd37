package petrichor.kv.rocksdb;

import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.KeyRange;
import petrichor.kv.StoreFailures;
import petrichor.kv.WriteBatch;

/** Converts batches to native batches. */
record RocksWrites(RocksFolder folder, Capabilities capabilities) {

    /** Throws if nothing was attempted; returns the failure if the outcome is unknown. */
    @Nullable PetrichorException attempt(WriteBatch batch) {
        StoreFailures.requireFits(batch, capabilities);
        return folder.attempt(nativeBatch -> fill(nativeBatch, batch));
    }

    private void fill(org.rocksdb.WriteBatch nativeBatch, WriteBatch batch)
            throws RocksDBException {
        for (WriteBatch.Op op : batch.ops()) {
            ColumnFamilyHandle table = folder.handle(op.table());
            switch (op) {
                case WriteBatch.Put put -> nativeBatch.put(table, put.key(), put.value());
                case WriteBatch.Delete delete -> nativeBatch.delete(table, delete.key());
                case WriteBatch.DeleteRange delete -> {
                    KeyRange range = delete.range();
                    byte[] to = range.to() == null ? end(delete.table(), batch) : range.to();
                    if (to != null && Bytes.compare(range.from(), to) < 0) {
                        nativeBatch.deleteRange(table, range.from(), to);
                    }
                }
            }
        }
    }

    /**
     * RocksDB has no unbounded range, so this is just after the last key in the table or in the
     * same batch.
     */
    private byte @Nullable [] end(String table, WriteBatch batch) throws RocksDBException {
        byte[] last = folder.lastKey(table);
        for (WriteBatch.Op op : batch.ops()) {
            if (op instanceof WriteBatch.Put(String putTable, byte[] key, byte[] _)
                    && putTable.equals(table)
                    && (last == null || Bytes.compare(key, last) > 0)) {
                last = key;
            }
        }
        return last == null ? null : Bytes.successor(last);
    }
}
