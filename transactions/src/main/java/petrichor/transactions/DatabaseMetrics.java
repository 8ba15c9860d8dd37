package petrichor.transactions;

/**
 * What a database did since it was opened, and how it stands. Counts only grow.
 *
 * @param commits transactions made durable
 * @param conflicts transactions refused because something they read was written
 * @param refusals transactions refused for other reasons
 * @param syncs durable steps; {@code commits / syncs} is the size of a batch
 * @param batchCommitsMax most commits in one durable step
 * @param recoveries times a failed durable step was recovered from
 * @param queuedBytes what waits for the sequencer now
 * @param openTransactions transactions under way
 * @param lockWaits commits and reads that wait for locks now
 * @param newestVersion what a snapshot would read now
 * @param oldestSnapshot the oldest version that somebody reads
 * @param windowWrites recent writes remembered to find conflicts
 */
public record DatabaseMetrics(
        long commits,
        long conflicts,
        long refusals,
        long syncs,
        long batchCommitsMax,
        long recoveries,
        long queuedBytes,
        int openTransactions,
        int lockWaits,
        long newestVersion,
        long oldestSnapshot,
        int windowWrites) {}
