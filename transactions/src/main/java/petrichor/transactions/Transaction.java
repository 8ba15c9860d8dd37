package petrichor.transactions;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * An open transaction: reads at one version and records what it read. Requests of one transaction
 * may come from several threads and run one at a time. Ends by commit, rollback, or by exceeding
 * the limits on idle time or age.
 */
public interface Transaction extends RowReader {
    TransactionId id();

    boolean readOnly();

    /** Whether it reads at an explicit read time: a retry would see the same data. */
    boolean atReadTime();

    /**
     * Waits, without blocking a thread, for what reading and writing these rows requires: shared
     * and exclusive locks in a transaction with locks; in an optimistic one, its turn if others
     * write the same rows. Afterwards, reading these rows does not wait. Completes on a background
     * thread unless no wait is needed; if the wait takes too long, fails with ABORTED and the
     * transaction has ended. If an older transaction takes its locks, reads continue at their
     * version, and a commit with writes fails with ABORTED.
     */
    CompletableFuture<Void> prepare(List<byte[]> read, List<byte[]> written);

    /**
     * Validates the reads and writes these rows. A read-only transaction, and one without writes
     * whose reads form one snapshot, commits without the sequencer.
     *
     * <p>Waits for locks without blocking a thread; a wait that takes too long results in {@link
     * CommitResult.Refused}, not in a conflict.
     *
     * @param conflictKeys see {@link CommitRequest}
     */
    CompletableFuture<CommitResult> commit(List<byte[]> conflictKeys, List<RowWrite> writes);

    void rollback();
}
