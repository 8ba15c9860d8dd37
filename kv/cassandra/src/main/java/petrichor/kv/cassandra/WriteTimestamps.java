package petrichor.kv.cassandra;

/**
 * Maps versions to Cassandra timestamps. They are far above the timestamps of conditional writes
 * (current time in microseconds), so that a versioned change wins over any other. A put is one tick
 * later than a range deletion of the same version, since at equal timestamps Cassandra lets the
 * deletion win, and a batch may put a row into a range that it deleted.
 */
final class WriteTimestamps {
    private static final long BASE = 1L << 60;

    /** Later than all others. */
    static final long LAST = Long.MAX_VALUE - 1;

    private static final long VERSION_MAX = 1L << 60;

    private WriteTimestamps() {}

    static long ofRow(long version) {
        return ofRangeDelete(version) + 1;
    }

    static long ofRangeDelete(long version) {
        if (Math.abs(version) >= VERSION_MAX) {
            throw new IllegalArgumentException("the version is too large: " + version);
        }
        return BASE + 2 * version;
    }

    static long versionOfRow(long stamp) {
        return (stamp - 1 - BASE) / 2;
    }
}
