package petrichor.jobs.channels;

import petrichor.jobs.channels.compression.DrainReport;

/**
 * How many blocks a writer lets be on their way. The reader's credits bound it from above; below
 * that it is what the channel drains in {@link #AHEAD_NANOS}: enough to keep any wire busy, and
 * little enough that on a slow one a block does not wait seconds behind blocks that were compressed
 * for another time. It begins at two blocks, since nothing is known of the wire. For one thread at
 * a time.
 */
final class SendWindow {
    /** Longer than any round trip for which these channels are meant. */
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
            // Faster at once, slower slowly: a window that is too small would hide that it is.
            bytesPerNano = Math.max(seen, bytesPerNano + WEIGHT * (seen - bytesPerNano));
            last = report;
        }
    }
}
