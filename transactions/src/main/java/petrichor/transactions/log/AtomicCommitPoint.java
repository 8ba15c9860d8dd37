package petrichor.transactions.log;

import java.util.function.BooleanSupplier;
import petrichor.base.MemoryBudget;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.RecentHistory;
import petrichor.transactions.rows.RowSource;
import petrichor.transactions.rows.TableLayout;

/**
 * Commit point for stores with atomic batches (tier A): writes all rows of the batch and the note
 * of its version in one fenced write.
 */
final class AtomicCommitPoint implements CommitPoint {
    private final KeyValueStore store;
    private final DurableStep.AtomicBatch step;
    private final byte[] domain;
    private final byte[] lastCommitKey;
    private final boolean views;
    private final RecentHistory recent;
    private long epoch;

    AtomicCommitPoint(
            KeyValueStore store,
            DurableStep.AtomicBatch step,
            TableLayout layout,
            MemoryBudget history,
            BooleanSupplier alone) {
        this.store = store;
        this.step = step;
        this.domain = layout.fenceDomain();
        this.lastCommitKey = layout.meta('V');
        this.views = store.capabilities().views();
        this.recent = new RecentHistory(alone, history);
    }

    @Override
    public Taken take() {
        recent.invalidate();
        epoch = step.takeFence(domain);
        byte[] value = store.get(TableLayout.META, lastCommitKey);
        LastCommit last =
                value == null
                        ? LastCommit.NONE
                        : new LastCommit(
                                TableLayout.longAt(value, 0),
                                TableLayout.longAt(value, Long.BYTES));
        if (!views) {
            recent.startAt(last.version());
        }
        return new Taken(epoch, last);
    }

    @Override
    public void awaitCapacity(StepMemory step) {}

    @Override
    public boolean fillsBatch(long rows, long bytes) {
        return false;
    }

    @Override
    public DurableStep.Outcome commit(WriteBatch batch, long version, StepMemory memory) {
        if (!views) {
            recent.add(batch, version);
        }
        byte[] last = new byte[2 * Long.BYTES];
        TableLayout.putLong(last, 0, epoch);
        TableLayout.putLong(last, Long.BYTES, version);
        DurableStep.Outcome outcome =
                step.commit(domain, epoch, batch.put(TableLayout.META, lastCommitKey, last));
        if (outcome == DurableStep.Outcome.DONE) {
            recent.trim(version);
        }
        return outcome;
    }

    @Override
    public RowSource live() {
        return RowSource.live(store, recent);
    }

    @Override
    public RowSource frozen() {
        return views ? RowSource.frozen(store) : live();
    }

    /** Nothing to wait for: commits are written directly to the rows. */
    @Override
    public void awaitApplied(long version) {}

    @Override
    public void close() {
        recent.close();
    }
}
