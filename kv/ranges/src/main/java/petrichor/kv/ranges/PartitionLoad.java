package petrichor.kv.ranges;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;

/**
 * Counts what this process has written to each partition since its last measurement, and triggers
 * the next one: after a quarter of what a partition may hold. A partition's count starts at a
 * random value, so that a process that is often restarted measures as often as one that is not.
 * Thread-safe.
 */
final class PartitionLoad {
    private static final int MEASUREMENTS_PER_PARTITION = 4;

    /** Counts of one partition; guarded by its own monitor. */
    private static final class Count {
        long rowsUntilMeasured;
        long bytesUntilMeasured;
        long rows;
        long bytes;
        long changes;
    }

    private final RangeLimits limits;
    private final LongUnaryOperator random;
    private final ConcurrentHashMap<Long, Count> counts = new ConcurrentHashMap<>();

    /**
     * @param random a number from 0 to below the given one
     */
    PartitionLoad(RangeLimits limits, LongUnaryOperator random) {
        this.limits = limits;
        this.random = random;
    }

    /** True if the partition should be measured now; the count then restarts. */
    boolean add(long partition, long rows, long bytes) {
        Count count = counts.computeIfAbsent(partition, _ -> started());
        synchronized (count) {
            count.rows += rows;
            count.bytes += bytes;
            count.changes += rows;
            count.rowsUntilMeasured -= rows;
            count.bytesUntilMeasured -= bytes;
            boolean due = count.rowsUntilMeasured <= 0 || count.bytesUntilMeasured <= 0;
            if (due) {
                count.rowsUntilMeasured = rowsBetween();
                count.bytesUntilMeasured = bytesBetween();
            }
            return due;
        }
    }

    private Count started() {
        Count count = new Count();
        count.rowsUntilMeasured = 1 + random.applyAsLong(rowsBetween());
        count.bytesUntilMeasured = 1 + random.applyAsLong(bytesBetween());
        return count;
    }

    private long rowsBetween() {
        return Math.max(1, limits.rowsMax() / MEASUREMENTS_PER_PARTITION);
    }

    private long bytesBetween() {
        return Math.max(1, limits.bytesMax() / MEASUREMENTS_PER_PARTITION);
    }

    /** Average row size in bytes, as far as this process has seen. */
    long rowBytes(long partition) {
        Count count = counts.get(partition);
        if (count == null) {
            return 0;
        }
        synchronized (count) {
            return count.rows == 0 ? 0 : count.bytes / count.rows;
        }
    }

    long changes(long partition) {
        Count count = counts.get(partition);
        if (count == null) {
            return 0;
        }
        synchronized (count) {
            return count.changes;
        }
    }

    void forget(long partition) {
        counts.remove(partition);
    }
}
