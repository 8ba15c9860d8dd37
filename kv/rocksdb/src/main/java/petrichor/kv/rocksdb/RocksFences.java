package petrichor.kv.rocksdb;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;

/**
 * The commit point. Between processes RocksDB's LOCK file is the fence: only one can have the
 * folder open. Between owners in this process it is a number per domain, durable so that it is
 * never reused after a restart, and checked in memory, since no other process can have changed it.
 *
 * <p>Commits of several domains share the lock and thereby a sync of the log; raising a fence waits
 * for the commits in progress, so that none of an older owner can follow it.
 */
final class RocksFences implements DurableStep.AtomicBatch {
    private final RocksFolder folder;
    private final RocksWrites writes;
    private final StampedLock raising = new StampedLock();
    private final Map<Bytes, Long> taken = new ConcurrentHashMap<>();

    RocksFences(RocksFolder folder, RocksWrites writes) {
        this.folder = folder;
        this.writes = writes;
    }

    @Override
    public long takeFence(byte[] domain) {
        long stamp = raising.writeLock();
        try {
            byte[] row = folder.reading(db -> db.get(folder.fences(), domain));
            long fence = row == null ? 1 : ByteBuffer.wrap(row).getLong() + 1;
            byte[] newRow = ByteBuffer.allocate(Long.BYTES).putLong(fence).array();
            PetrichorException failure =
                    folder.attempt(batch -> batch.put(folder.fences(), domain, newRow));
            if (failure != null) {
                // The new fence may or may not exist after a restart; no commit happens until then.
                taken.remove(Bytes.of(domain));
                throw failure;
            }
            taken.put(Bytes.of(domain.clone()), fence);
            return fence;
        } finally {
            raising.unlockWrite(stamp);
        }
    }

    @Override
    public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
        long stamp = raising.readLock();
        try {
            Long newest = taken.get(Bytes.of(domain));
            if (newest == null || newest != fence) {
                return Outcome.FENCED;
            }
            @Nullable PetrichorException failure = writes.attempt(batch);
            return failure == null ? Outcome.DONE : Outcome.UNKNOWN;
        } finally {
            raising.unlockRead(stamp);
        }
    }
}
