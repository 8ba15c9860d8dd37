package petrichor.transactions;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A transaction under way: reads at one version and remembers what it read. Requests of one
 * transaction may come from several threads; they are taken one after the other. Ends by commit,
 * rollback, or by being idle or old beyond the limits.
 */
public interface Transaction extends RowReader {
    TransactionId id();

    boolean readOnly();

    /** Whether it reads at an explicit read time: a retry would see the same data. */
    boolean atReadTime();

    /**
     * Waits, without a thread, for what reading and writing these rows takes: in a transaction with
     * locks shared and exclusive ones, in an optimistic one its turn if others write the same.
     * After it, reading these rows does not wait. Completes on a background thread unless there is
     * nothing to wait for; ABORTED, and the transaction has ended, if that takes too long. If an
     * older transaction takes its locks, reads continue at their version, and a commit with writes
     * fails with ABORTED.
     */
    CompletableFuture<Void> prepare(List<byte[]> read, List<byte[]> written);

    /**
     * Validates what was read and writes these rows. A read-only transaction, and one without
     * writes whose reads were one snapshot, commits without touching the sequencer.
     *
     * <p>Waits for locks without a thread; one that waited too long is {@link
     * CommitResult.Refused}, not a conflict.
     *
     * @param conflictKeys see {@link CommitRequest}
     */
    CompletableFuture<CommitResult> commit(List<byte[]> conflictKeys, List<RowWrite> writes);

    void rollback();
}
