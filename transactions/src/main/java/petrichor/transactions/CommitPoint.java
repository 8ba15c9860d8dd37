package petrichor.transactions;

import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;

/**
 * The commit point of one database in the form that its store has. Belongs to the holder of the
 * sequencer.
 */
interface CommitPoint {
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

    /** Makes the batch durable under the epoch last taken. */
    DurableStep.Outcome commit(WriteBatch batch, long version);
}
