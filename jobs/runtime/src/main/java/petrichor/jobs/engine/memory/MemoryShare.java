package petrichor.jobs.engine.memory;

/**
 * Memory budget of one sort, hash table or buffer of one subtask, which spills when a reservation
 * is refused. Belongs to one thread.
 */
public final class MemoryShare {
    /** Minimum share: sorts and joins do not work with less. */
    public static final long BYTES_MIN = 1L << 20;

    private final long limit;
    private long used;

    public MemoryShare(long limit) {
        this.limit = Math.max(limit, BYTES_MIN);
    }

    boolean reserve(long bytes) {
        if (used + bytes > limit) {
            return false;
        }
        used += bytes;
        return true;
    }

    /**
     * Reserves memory without which no progress is possible, such as the one block that is being
     * read.
     */
    void force(long bytes) {
        used += bytes;
    }

    void release(long bytes) {
        used -= bytes;
        assert used >= 0 : "released more than was reserved";
    }

    long free() {
        return limit - used;
    }

    long limit() {
        return limit;
    }
}
