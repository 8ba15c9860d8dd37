package petrichor.jobs.channels;

/**
 * One consumer of a gate; most gates have a single one. Written under the gate's lock, except for
 * the request to leave.
 */
public final class GateConsumer {
    private volatile boolean surplus;
    private volatile long waitedNanos;
    private volatile long waitsSinceNanos;
    private long tookNanos;
    private long tookBytes;

    /** Asks the consumer to take no more blocks. */
    public void leave() {
        surplus = true;
    }

    public boolean isSurplus() {
        return surplus;
    }

    void waits() {
        waitsSinceNanos = System.nanoTime();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the gate's lock
    void goesOn() {
        long since = waitsSinceNanos;
        // First, so that a concurrent reader does not count the wait twice.
        waitsSinceNanos = 0;
        waitedNanos += System.nanoTime() - since;
    }

    /** Total time it has waited so far, including a current wait. */
    public long waitedNanos() {
        long since = waitsSinceNanos;
        return waitedNanos + (since == 0 ? 0 : System.nanoTime() - since);
    }

    void took(Block block) {
        tookNanos = System.nanoTime();
        tookBytes = block.length();
    }

    /**
     * Starts the next request: processing time per byte of the previous block; 0 for the first
     * request.
     */
    double nanosPerByte() {
        long bytes = tookBytes;
        tookBytes = 0;
        return bytes == 0 ? 0 : (double) (System.nanoTime() - tookNanos) / bytes;
    }
}
