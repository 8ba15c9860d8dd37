package petrichor.jobs.channels;

import petrichor.jobs.channels.compression.Level;

/**
 * Statistics of the sending end of a channel. Written by the thread that uses the channel, with a
 * few stores per block of 128 KB; any thread may read them with {@link #metrics}.
 */
public final class ChannelCounters {
    // Each counter has a single writer: a volatile write is enough, no atomic addition is needed.
    private volatile long blocks;
    private volatile long rawBytes;
    private volatile long wireBytes;
    private volatile long waitNanos;
    private volatile Level level = Level.NONE;

    /**
     * A snapshot of the counters.
     *
     * @param blocks blocks sent
     * @param rawBytes their uncompressed size
     * @param wireBytes their size as sent
     * @param level compression level of the newest block
     */
    public record Totals(long blocks, long rawBytes, long wireBytes, Level level) {}

    /** Total time for which this end was blocked by back-pressure. */
    public long waitNanos() {
        return waitNanos;
    }

    public Totals metrics() {
        return new Totals(blocks, rawBytes, wireBytes, level);
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
