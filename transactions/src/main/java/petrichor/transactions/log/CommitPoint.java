package petrichor.transactions.log;

import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.RowSource;

/**
 * The commit point of one database in the form that its store has. Writing belongs to the holder of
 * the sequencer; anybody reads.
 */
public interface CommitPoint extends AutoCloseable {
    /** Where the database stood when we took it. */
    record Taken(long epoch, LastCommit last) {}

    /** The newest durable batch: who wrote it, and the version of its last commit. */
    record LastCommit(long epoch, long version) {
        static final LastCommit NONE = new LastCommit(0, 0);
    }

    /**
     * Shuts every former owner out, ourselves included, and says where it left off. After this
     * nothing that was on its way can arrive any more.
     */
    Taken take();

    /**
     * Waits while too much of what was committed is not in its rows yet; UNAVAILABLE if the store
     * takes nothing for {@link TransactionLimits#applyWait}. To be called before something is
     * planned.
     */
    void awaitRoom();

    /**
     * Whether so much is enough for one batch: a batch is applied, and by a new owner applied
     * again, as a whole.
     */
    boolean isEnough(long rows, long bytes);

    /**
     * Makes the batch durable under the epoch last taken. When it is done, all sources show it.
     *
     * @param version higher than that of every batch before
     */
    DurableStep.Outcome commit(WriteBatch batch, long version);

    /** The commits so far. */
    RowSource live();

    /** What was committed until now, if the store can freeze it; else the same as live. */
    RowSource frozen();

    /**
     * Waits until all commits up to this version are in the store, for readers that read the store
     * directly; UNAVAILABLE if that takes too long.
     */
    void awaitApplied(long version);

    /** Finishes what it can; does not touch the store any more when it returns. */
    @Override
    void close();
}
