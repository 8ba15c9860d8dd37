package petrichor.jobs.channels.compression;

/**
 * How the reader's side of a channel fares, as totals since the channel began, so that a lost or
 * merged report loses nothing. The reader's clock has its own zero; only differences mean
 * something.
 *
 * @param readerNanos the reader's clock when the newest block had arrived
 * @param arrivedBytes of this channel's blocks, as they came over the wire
 * @param trainBytes of the whole connection: bytes that were seen arriving in a train, behind the
 *     first bytes of their block
 * @param burstNanos the time that those took: together they say how fast the wire is, even while it
 *     is idle most of the time
 * @param othersNanos the part of {@code burstNanos} that went to other channels
 * @param consumedBytes of this channel, after decompression, taken by the consumer
 * @param idleNanos the consumer waited for a block
 * @param decompressNanos spent decompressing
 * @param consumeNanos between the end of one {@code next} and the beginning of another: the
 *     consumer's own work
 */
public record DrainReport(
        long readerNanos,
        long arrivedBytes,
        long trainBytes,
        long burstNanos,
        long othersNanos,
        long consumedBytes,
        long idleNanos,
        long decompressNanos,
        long consumeNanos) {
    /** A channel that has just begun. */
    public static final DrainReport NOTHING = new DrainReport(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** What happened after an earlier report. */
    public DrainReport since(DrainReport earlier) {
        return new DrainReport(
                readerNanos - earlier.readerNanos,
                arrivedBytes - earlier.arrivedBytes,
                trainBytes - earlier.trainBytes,
                burstNanos - earlier.burstNanos,
                othersNanos - earlier.othersNanos,
                consumedBytes - earlier.consumedBytes,
                idleNanos - earlier.idleNanos,
                decompressNanos - earlier.decompressNanos,
                consumeNanos - earlier.consumeNanos);
    }
}
