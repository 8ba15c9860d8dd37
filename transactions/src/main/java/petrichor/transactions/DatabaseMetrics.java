package petrichor.transactions;

/**
 * Counters of a database since it was opened, and its state. Counters only grow.
 *
 * @param commits committed transactions
 * @param conflicts transactions aborted by a conflict
 * @param refusals transactions aborted for other reasons
 * @param syncs group commits; {@code commits / syncs} is the average size of a group
 * @param batchCommitsMax largest number of commits in one group
 * @param recoveries recoveries after a failed group commit
 * @param queuedBytes size of the sequencer's queue
 * @param openTransactions open transactions
 * @param lockWaits commits and reads waiting for locks
 * @param newestVersion version that a new snapshot reads
 * @param oldestSnapshot the oldest version of an open snapshot
 * @param windowWrites recent writes in the conflict window
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
