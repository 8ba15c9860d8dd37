package petrichor.transactions;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

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

    /**
     * Validates what another server has read, and writes its rows, with the locks of this
     * transaction.
     *
     * @param others what was read at other versions, without writes
     */
    default CompletableFuture<CommitResult> commitFor(
            List<CommitRequest> others, CommitRequest request) {
        throw new UnsupportedOperationException("this transaction holds no locks for others");
    }

    void rollback();

    /**
     * Locks a row until this transaction ends, regardless of what it has read. Unlike the locks of
     * {@link #prepare}, no other transaction takes this one away: those that want to write or lock
     * the row wait. May be called again, also to turn a shared lock into an exclusive one. Only for
     * optimistic transactions. The future completes on any thread; no request of this transaction
     * may be made before.
     *
     * <p>A commit that was queued before the lock was granted is finished when it completes: {@link
     * #newest} returns the row as it stays until the end of this transaction.
     *
     * @param waitMax zero for an attempt without a wait; the wait also ends with the deadline of
     *     the caller's {@link petrichor.base.Cancellation}
     */
    default CompletableFuture<LockResult> lock(
            byte[] key, LockStrength strength, Duration waitMax) {
        throw new UnsupportedOperationException("this transaction takes no explicit locks");
    }

    /** Whether this server keeps the locks of {@link #lock}. */
    default boolean canLock() {
        return !readOnly();
    }

    /** The newest committed version of a row, which is not validated; null if there is none. */
    default @Nullable Row newest(byte[] key) {
        throw new UnsupportedOperationException("this transaction reads at one version");
    }

    /** Starts a group of reads, which {@link #readAgain} can forget; returns its number. */
    default int startReads() {
        throw new UnsupportedOperationException("this transaction reads at one version");
    }

    /**
     * Forgets the reads of a group and of those after it, and continues at the newest version.
     * Earlier reads stay and are validated at the commit. No cursor may be open.
     *
     * @param group of {@link #startReads}; negative to forget nothing
     */
    default void readAgain(int group) {
        throw new UnsupportedOperationException("this transaction reads at one version");
    }

    /**
     * Lets the commit fail if a row is written after the version being read, as if it had been read
     * now.
     */
    default void validate(byte[] key) {
        var _ = get(key);
    }

    /** Reads at the version of this transaction that the commit does not validate. */
    default RowReader unvalidated() {
        return this;
    }
}
