package petrichor.jobs.engine.exchange;

import petrichor.jobs.jobgraph.ChannelFigures;
import petrichor.jobs.jobgraph.SubtaskId;

/** What one channel has carried so far. Written by its sender block by block, read by all. */
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

    /** A block is handed on: until it is sent, its sender may have to wait. */
    void puts() {
        putSinceNanos = System.nanoTime();
    }

    /** It is handed on. To be called before the wait is added: no moment counts twice. */
    void hasPut() {
        putSinceNanos = 0;
    }

    /** How long the sender has tried to hand on the block that it holds now; mostly 0. */
    long puttingNanos() {
        long since = putSinceNanos;
        return since == 0 ? 0 : System.nanoTime() - since;
    }

    // One writer: adding to a volatile loses nothing.
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

    ChannelFigures now() {
        long began = beganNanos;
        long ended = endedNanos;
        long until = ended == 0 ? System.nanoTime() : ended;
        return new ChannelFigures(
                to, bytes, waitedNanos + puttingNanos(), began == 0 ? 0 : until - began);
    }
}
