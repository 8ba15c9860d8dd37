package petrichor.jobs.engine.exchange;

import petrichor.jobs.jobgraph.ChannelMetrics;
import petrichor.jobs.jobgraph.SubtaskId;

/** Measures one channel. Written by its sender once per block, read by all threads. */
final class ChannelMeter {
    private final SubtaskId to;
    private volatile long bytes;
    private volatile long waitedNanos;
    private volatile long putSinceNanos;
    private volatile long beganNanos;
    private volatile long endedNanos;

    ChannelMeter(SubtaskId to) {
        this.to = to;
    }

    /** The sender passes on a block, and may be blocked until it is sent. */
    void puts() {
        putSinceNanos = System.nanoTime();
    }

    /**
     * The block was passed on. To be called before its wait is added, so that a concurrent reader
     * does not count the wait twice.
     */
    void hasPut() {
        putSinceNanos = 0;
    }

    /** How long the sender has been blocked by its current block; usually 0. */
    long puttingNanos() {
        long since = putSinceNanos;
        return since == 0 ? 0 : System.nanoTime() - since;
    }

    // Single writer: adding to a volatile loses no update.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void sent(long blockBytes, long waited) {
        if (beganNanos == 0) {
            beganNanos = System.nanoTime() - waited;
        }
        bytes += blockBytes;
        if (waited != 0) {
            waitedNanos += waited;
        }
    }

    void ended() {
        endedNanos = System.nanoTime();
    }

    boolean isUsed() {
        return beganNanos != 0;
    }

    ChannelMetrics now() {
        long began = beganNanos;
        long ended = endedNanos;
        long until = ended == 0 ? System.nanoTime() : ended;
        return new ChannelMetrics(
                to, bytes, waitedNanos + puttingNanos(), began == 0 ? 0 : until - began);
    }
}
