package petrichor.jobs.channels;

import petrichor.jobs.channels.compression.Level;

/**
 * What the sending end of a channel has seen. Written by the thread that uses the channel, a few
 * stores per block of 128 KB; read by anybody at any time with {@link #figures}.
 */
public final class ChannelCounters {
    // One thread writes each of these: a volatile write is enough, no atomic addition is needed.
    private volatile long blocks;
    private volatile long rawBytes;
    private volatile long wireBytes;
    private volatile long waitNanos;
    private volatile Level level = Level.NONE;

    /**
     * The state of the counters.
     *
     * @param blocks blocks that went through this end
     * @param rawBytes their bytes as the task sees them
     * @param wireBytes their bytes as they travelled
     * @param level how the newest block was compressed
     */
    public record Figures(long blocks, long rawBytes, long wireBytes, Level level) {}

    /** How long this end has waited so far. */
    public long waitNanos() {
        return waitNanos;
    }

    public Figures figures() {
        return new Figures(blocks, rawBytes, wireBytes, level);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void block(int raw, int wire, Level level) {
        blocks = blocks + 1;
        rawBytes = rawBytes + raw;
        wireBytes = wireBytes + wire;
        this.level = level;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void waited(long nanos) {
        waitNanos = waitNanos + nanos;
    }
}
