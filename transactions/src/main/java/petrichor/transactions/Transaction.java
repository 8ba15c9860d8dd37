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

    /** Whether it reads at a read time that was named: begun anew it would see the same. */
    boolean atReadTime();

    /**
     * Validates what was read and writes these rows. A read-only transaction, and one without
     * writes whose reads were one snapshot, commits without touching the sequencer.
     *
     * @param conflictKeys see {@link CommitRequest}
     */
    CompletableFuture<CommitResult> commit(List<byte[]> conflictKeys, List<RowWrite> writes);

    void rollback();
}
