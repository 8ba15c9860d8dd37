package petrichor.jobs.engine.memory;

/**
 * How much one sort, hash table or buffer of one subtask may keep in memory. Whoever is refused
 * spills. Belongs to one thread.
 */
public final class MemoryShare {
    /** Less than this sorts and joins nothing: a share is never smaller. */
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

    /** Takes what must be had to make any progress, e.g. the one block that is being read. */
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
