package petrichor.jobs.channels;

/**
 * One of those who take blocks from a gate; mostly there is one. Guarded by the gate's lock, but
 * for the word to leave.
 */
public final class GateConsumer {
    private volatile boolean surplus;
    private long waitedNanos;
    private long waitsSinceNanos;
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

    void goesOn() {
        waitedNanos += System.nanoTime() - waitsSinceNanos;
        waitsSinceNanos = 0;
    }

    /** How long it has waited so far, the wait that it is in included. */
    long waitedNanos() {
        return waitedNanos + (waitsSinceNanos == 0 ? 0 : System.nanoTime() - waitsSinceNanos);
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
