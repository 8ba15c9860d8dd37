package petrichor.jobs.channels.compression;

/**
 * How the reader drains a channel, as totals since the channel was opened, so that a lost or merged
 * report loses nothing. The reader's clock has its own zero; only differences are meaningful.
 *
 * @param readerNanos the reader's clock when the newest block had arrived
 * @param arrivedBytes of this channel's blocks, as received
 * @param trainBytes of the whole connection: bytes received in a train, after the first bytes of
 *     their block
 * @param burstNanos the time in which {@code trainBytes} arrived: together they give the speed of
 *     the wire, even while it is mostly idle
 * @param othersNanos the part of {@code burstNanos} that other channels used
 * @param consumedBytes of this channel, after decompression, taken by the consumer
 * @param idleNanos the consumer waited for a block
 * @param decompressNanos spent decompressing
 * @param consumeNanos between the end of one {@code next} and the start of the following one: the
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
    /** The report of a channel without any traffic. */
    public static final DrainReport NOTHING = new DrainReport(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** The difference to an earlier report. */
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
