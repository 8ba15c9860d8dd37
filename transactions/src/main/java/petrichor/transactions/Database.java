package petrichor.transactions;

import java.util.concurrent.CompletableFuture;
import petrichor.base.MemoryBudget;

/**
 * One database: the scope of a transaction, with its own commit order. Thread-safe. Failures are
 * {@link petrichor.base.PetrichorException}.
 */
public interface Database {
    /** {@code project} or {@code project/database}; unique within a store. */
    String name();

    /**
     * Whether the sequencer of this database runs in this process; otherwise it is read-only here.
     */
    default boolean sequencedHere() {
        return true;
    }

    /** The newest version: contains every commit acknowledged before the call. Does no I/O. */
    Snapshot snapshot();

    /**
     * A past version.
     *
     * @param version microseconds since 1970; INVALID_ARGUMENT if it is in the future or older than
     *     the retained history
     */
    Snapshot snapshotAt(long version);

    /**
     * Completes on the committer's thread: continue on another thread with anything that takes
     * time.
     */
    CompletableFuture<CommitResult> commit(CommitRequest request);

    /** Memory budget for data read to compute a commit, until the commit is queued. */
    MemoryBudget commitMemory();

    /**
     * Whether any transaction holds locks: a commit without a transaction may have to wait for
     * them, and its input may have changed by then.
     */
    boolean locksInUse();

    Transaction begin(TransactionOptions options);

    /**
     * INVALID_ARGUMENT if this server did not issue the id, or if the transaction has ended or
     * expired; ABORTED if a former owner of the database started it.
     */
    Transaction transaction(TransactionId id);

    /**
     * Rolls back an open transaction. Rolling back a transaction that has ended, lost or expired is
     * not an error, since clients do that too; an id that was never issued is INVALID_ARGUMENT.
     */
    void rollback(TransactionId id);

    /**
     * {@code count} unused numbers, scattered over 2^52 .. 2^53 (so that JavaScript can represent
     * them). Never allocated twice, not even after a crash.
     */
    long[] allocateIds(int count);

    /** Excludes these numbers from {@link #allocateIds}. Durable when it returns. */
    void reserveIds(long... ids);

    /** The committed transactions, in order. */
    default ChangeFeed changes() {
        throw new NotSequencedHere(name());
    }
}
