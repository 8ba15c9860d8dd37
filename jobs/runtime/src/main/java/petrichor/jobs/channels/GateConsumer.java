package petrichor.jobs.channels;

/**
 * One of those that take blocks from a gate; mostly there is one. Written under the gate's lock,
 * but for the request to leave.
 */
public final class GateConsumer {
    private volatile boolean surplus;
    private volatile long waitedNanos;
    private volatile long waitsSinceNanos;
    private long tookNanos;
    private long tookBytes;

    /** It is to take no more. */
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
        // First, so that no moment counts twice.
        waitsSinceNanos = 0;
        waitedNanos += System.nanoTime() - since;
    }

    /** How long it has waited so far, the wait that it is in included. */
    public long waitedNanos() {
        long since = waitsSinceNanos;
        return waitedNanos + (since == 0 ? 0 : System.nanoTime() - since);
    }

    void took(Block block) {
        tookNanos = System.nanoTime();
        tookBytes = block.length();
    }

    /** It comes back for more: how long a byte of the last block has taken it; 0 for the first. */
    double nanosPerByte() {
        long bytes = tookBytes;
        tookBytes = 0;
        return bytes == 0 ? 0 : (double) (System.nanoTime() - tookNanos) / bytes;
    }
}
