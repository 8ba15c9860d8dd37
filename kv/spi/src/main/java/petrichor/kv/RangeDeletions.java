package petrichor.kv;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * The {@link DeletedRanges} of one table of a store without range deletions by version. Each is a
 * record in the store; a deletion is complete when its record is written. Readers cache them for
 * {@link #AGE_MAX}, so another process may see a late older row in a range that was deleted less
 * than that before. Thread-safe.
 */
public final class RangeDeletions {
    public static final Duration AGE_MAX = Duration.ofSeconds(1);

    private static final byte KIND = 'r';
    private static final int ID_BYTES = 1 + Long.BYTES + Integer.BYTES;

    /** The records of one table in its store. Calls block; a failure leaves the cache unchanged. */
    public interface Records {
        /** Reads all records whose id is in {@link #ids}. */
        void read(BiConsumer<byte[], KeyRange> reader);

        void write(byte[] id, KeyRange range, long version);

        void remove(byte[] id, long version);
    }

    private record Known(DeletedRanges ranges, long readAtNanos) {}

    private final Records records;
    private volatile @Nullable Known known;

    /** The known records, by id, with their ranges; guarded by this. */
    private final Map<Bytes, KeyRange> byId = new HashMap<>();

    public RangeDeletions(Records records) {
        this.records = records;
    }

    /** The ids of records. */
    public static KeyRange ids() {
        return new KeyRange(new byte[] {KIND}, new byte[] {KIND + 1});
    }

    /** The deleted ranges, at most {@link #AGE_MAX} old. */
    public DeletedRanges ranges() {
        Known fresh = fresh();
        return fresh == null ? read() : fresh.ranges;
    }

    private @Nullable Known fresh() {
        Known now = known;
        return now == null || System.nanoTime() - now.readAtNanos > AGE_MAX.toNanos() ? null : now;
    }

    private synchronized DeletedRanges read() {
        Known fresh = fresh();
        if (fresh != null) {
            return fresh.ranges;
        }
        long now = System.nanoTime();
        Map<Bytes, KeyRange> found = new HashMap<>();
        records.read((id, range) -> found.put(Bytes.of(id), range));
        DeletedRanges ranges = DeletedRanges.EMPTY;
        for (Map.Entry<Bytes, KeyRange> each : found.entrySet()) {
            ranges = ranges.with(each.getValue(), version(each.getKey().array()));
        }
        byId.clear();
        byId.putAll(found);
        known = new Known(ranges, now);
        return ranges;
    }

    private static long version(byte[] id) {
        return ByteBuffer.wrap(id).getLong(1);
    }

    /**
     * Hides all rows of the range that are older than this version, including those that arrive
     * later.
     *
     * @param number distinguishes the ranges of one version
     */
    public synchronized void delete(KeyRange range, long version, int number) {
        DeletedRanges before = ranges();
        if (before.covers(range, version)) {
            return;
        }
        byte[] id = ByteBuffer.allocate(ID_BYTES).put(KIND).putLong(version).putInt(number).array();
        records.write(id, range, version);
        long readAt = known == null ? System.nanoTime() : known.readAtNanos;
        known = new Known(before.with(range, version), readAt);
        removeCovered(range, version);
        byId.put(Bytes.of(id), range);
    }

    /** Without this, history, which is dropped hour by hour, would leave a record for each hour. */
    private void removeCovered(KeyRange range, long version) {
        DeletedRanges one = DeletedRanges.EMPTY.with(range, version);
        byId.entrySet()
                .removeIf(
                        each -> {
                            byte[] id = each.getKey().array();
                            long former = version(id);
                            boolean covered = one.covers(each.getValue(), former);
                            if (covered) {
                                records.remove(id, former);
                            }
                            return covered;
                        });
    }
}
