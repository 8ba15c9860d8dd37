package petrichor.jobs.channels;

import petrichor.jobs.channels.compression.Level;

/**
 * What one end of a channel has seen. Written by the thread that uses the channel, a few stores per
 * block of 128 KB; read by anybody at any time with {@link #figures}.
 */
public final class ChannelCounters {
    private final long beganNanos;

    // One thread writes each of these: a volatile write is enough, no atomic addition is needed.
    private volatile long blocks;
    private volatile long rawBytes;
    private volatile long wireBytes;
    private volatile long waitNanos;
    private volatile Level level = Level.NONE;

    public ChannelCounters(long nowNanos) {
        beganNanos = nowNanos;
    }

    /**
     * The state of the counters.
     *
     * @param blocks blocks that went through this end
     * @param rawBytes their bytes as the task sees them
     * @param wireBytes their bytes as they travelled
     * @param waitNanos how long this end has waited: a writer for room, a reader for blocks
     * @param ageNanos how long the channel exists
     * @param level how the newest block was compressed
     */
    public record Figures(
            long blocks,
            long rawBytes,
            long wireBytes,
            long waitNanos,
            long ageNanos,
            Level level) {
        /**
         * The share of this time that a writer waited for room, 0 to 1: near 1, the channel or what
         * is behind it holds the writer up.
         */
        public double saturation() {
            return ageNanos <= 0 ? 0 : Math.clamp((double) waitNanos / ageNanos, 0, 1);
        }

        /** What happened after earlier figures of the same end. */
        public Figures since(Figures earlier) {
            return new Figures(
                    blocks - earlier.blocks,
                    rawBytes - earlier.rawBytes,
                    wireBytes - earlier.wireBytes,
                    waitNanos - earlier.waitNanos,
                    ageNanos - earlier.ageNanos,
                    level);
        }
    }

    /** How long this end has waited so far. */
    public long waitNanos() {
        return waitNanos;
    }

    public Figures figures(long nowNanos) {
        return new Figures(blocks, rawBytes, wireBytes, waitNanos, nowNanos - beganNanos, level);
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
