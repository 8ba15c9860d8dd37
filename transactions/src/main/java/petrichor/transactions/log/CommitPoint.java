package petrichor.transactions.log;

import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.RowSource;

/**
 * The commit point of one database, in the form that its store supports. Only the thread that runs
 * the sequencer writes; any thread reads.
 */
public interface CommitPoint extends AutoCloseable {
    /** State of the database at takeover. */
    record Taken(long epoch, LastCommit last) {}

    /** The newest durable batch: the epoch that wrote it, and the version of its last commit. */
    record LastCommit(long epoch, long version) {
        static final LastCommit NONE = new LastCommit(0, 0);
    }

    /**
     * Shuts out every former owner, including this process, and returns where it stopped.
     * Afterwards no write in flight can arrive any more.
     */
    Taken take();

    /**
     * Back-pressure: waits while too many commits have not been applied to the rows. UNAVAILABLE if
     * the store applies nothing for {@link TransactionLimits#applyWait}. Call it before planning.
     *
     * @param step memory of the next batch, which counts as unapplied from now on
     */
    void awaitCapacity(StepMemory step);

    /**
     * Whether these rows fill a batch, so that it accepts no further commit: a batch is applied as
     * a whole, and a new owner may have to apply it again.
     */
    boolean fillsBatch(long rows, long bytes);

    /**
     * Makes the batch durable under the epoch last taken. Once it returns, all sources show the
     * batch.
     *
     * @param version higher than that of every earlier batch
     * @param memory of the batch; kept while the batch is needed
     */
    DurableStep.Outcome commit(WriteBatch batch, long version, StepMemory memory);

    /** Reads the current commits. */
    RowSource live();

    /**
     * Reads the commits up to now from a frozen view, if the store supports views; otherwise the
     * same as live.
     */
    RowSource frozen();

    /**
     * Waits until all commits up to this version are in the store, for readers that read the store
     * directly; UNAVAILABLE if that takes too long.
     */
    void awaitApplied(long version);

    /** Completes what it can; no longer accesses the store when it returns. */
    @Override
    void close();
}
