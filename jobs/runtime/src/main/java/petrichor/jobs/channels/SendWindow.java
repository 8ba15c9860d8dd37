package petrichor.jobs.channels;

import petrichor.jobs.channels.compression.DrainReport;

/**
 * The window of a writer: how many of its blocks may be in flight. The reader's credits bound it
 * from above; below that it is the amount that the channel drains in {@link #AHEAD_NANOS}: enough
 * to keep any wire busy, and small enough that on a slow wire a block is not queued for seconds
 * behind blocks that were compressed for other conditions. Starts at two blocks, since the speed of
 * the wire is unknown. For one thread at a time.
 */
final class SendWindow {
    /** Longer than any round trip for which these channels are designed. */
    static final long AHEAD_NANOS = 150_000_000L;

    static final int BLOCKS_MIN = 2;

    private static final long SAMPLE_NANOS_MIN = 2_000_000L;
    private static final double WEIGHT = 0.25;

    private final int blocksMax;
    private double wireBytesPerBlock;
    private double bytesPerNano;
    private DrainReport last = DrainReport.NOTHING;
    private boolean reported;

    SendWindow(int blocksMax) {
        this.blocksMax = Math.max(BLOCKS_MIN, blocksMax);
    }

    int blocks() {
        if (bytesPerNano == 0) {
            return BLOCKS_MIN;
        }
        double wanted = bytesPerNano * AHEAD_NANOS / wireBytesPerBlock;
        return (int) Math.clamp(Math.ceil(wanted) + 1, BLOCKS_MIN, blocksMax);
    }

    void sent(int wireBytes) {
        wireBytesPerBlock =
                wireBytesPerBlock == 0
                        ? wireBytes
                        : wireBytesPerBlock + WEIGHT * (wireBytes - wireBytesPerBlock);
    }

    void drained(DrainReport report) {
        if (!reported) {
            reported = true;
            last = report;
            return;
        }
        DrainReport news = report.since(last);
        if (news.readerNanos() >= SAMPLE_NANOS_MIN && news.arrivedBytes() > 0) {
            double seen = (double) news.arrivedBytes() / news.readerNanos();
            // Rises at once, falls slowly: a window that is too small would hide the real speed.
            bytesPerNano = Math.max(seen, bytesPerNano + WEIGHT * (seen - bytesPerNano));
            last = report;
        }
    }
}
