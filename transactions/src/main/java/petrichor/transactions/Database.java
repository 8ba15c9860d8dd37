package petrichor.transactions;

import java.util.concurrent.CompletableFuture;
import petrichor.base.MemoryBudget;

/**
 * One database: the scope of a transaction, with its own order of commits. Safe for any thread.
 * Failures are {@link petrichor.base.PetrichorException}.
 */
public interface Database {
    /** {@code project} or {@code project/database}; unique within a store. */
    String name();

    /** Whether this process decides over its commits; if not, it can only be read here. */
    default boolean sequencedHere() {
        return true;
    }

    /** The newest version: contains every commit acknowledged before the call. Free of I/O. */
    Snapshot snapshot();

    /**
     * A version of the past.
     *
     * @param version microseconds since 1970; INVALID_ARGUMENT if in the future or before what is
     *     retained
     */
    Snapshot snapshotAt(long version);

    /** Completes on the committer's thread: continue elsewhere with anything that takes time. */
    CompletableFuture<CommitResult> commit(CommitRequest request);

    /** For what is read to compute a commit, until the commit waits in its queue. */
    MemoryBudget commitMemory();

    /**
     * Whether anybody holds locks: a commit without a transaction may wait for them, and then finds
     * that what it was computed from has changed.
     */
    boolean locksInUse();

    Transaction begin(TransactionOptions options);

    /**
     * INVALID_ARGUMENT if the id is not ours, or if the transaction has ended or expired; ABORTED
     * if a former owner of the database began it.
     */
    Transaction transaction(TransactionId id);

    /**
     * Rolls back what is still open. One that has ended, lost or expired is no error, since clients
     * roll those back as well; one that was never ours is INVALID_ARGUMENT.
     */
    void rollback(TransactionId id);

    /**
     * {@code count} fresh numbers, scattered over 2^52 .. 2^53 (so that JavaScript can hold them).
     * Never given out twice, also after a crash.
     */
    long[] allocateIds(int count);

    /** These numbers will not be given out by {@link #allocateIds}. Durable when it returns. */
    void reserveIds(long... ids);
}
