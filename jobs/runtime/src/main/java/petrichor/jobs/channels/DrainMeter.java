package petrichor.jobs.channels;

import petrichor.jobs.channels.compression.DrainReport;

/**
 * Measures how a reader drains its channel, for the reports to its writer. Totals; safe for any
 * thread.
 */
final class DrainMeter {
    private long arrivedBytes;
    private long arrivedNanos;
    private long consumedBytes;
    private long idleNanos;
    private long decompressNanos;
    private long consumeNanos;

    synchronized void arrived(int wireBytes, long nowNanos) {
        arrivedBytes += wireBytes;
        arrivedNanos = nowNanos;
    }

    /**
     * @param consumed the consumer's own processing time between the previous block and this
     *     request
     * @param waited how long it then waited
     */
    synchronized void asked(long consumed, long waited) {
        consumeNanos += consumed;
        idleNanos += waited;
    }

    synchronized void opened(int rawBytes, long tookNanos) {
        consumedBytes += rawBytes;
        decompressNanos += tookNanos;
    }

    /** Adds what the connection has measured of the wire. */
    synchronized DrainReport report(long trainBytes, long burstNanos, long othersNanos) {
        return new DrainReport(
                arrivedNanos,
                arrivedBytes,
                trainBytes,
                burstNanos,
                othersNanos,
                consumedBytes,
                idleNanos,
                decompressNanos,
                consumeNanos);
    }
}
