package petrichor.transactions;

import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/** Tier A: all rows of the batch, and the note of how far we are, in one fenced write. */
final class AtomicCommitPoint implements CommitPoint {
    private final KeyValueStore store;
    private final DurableStep.AtomicBatch step;
    private final byte[] domain;
    private final byte[] lastCommitKey;
    private long epoch;

    AtomicCommitPoint(KeyValueStore store, DurableStep.AtomicBatch step, RowLayout layout) {
        this.store = store;
        this.step = step;
        this.domain = layout.fenceDomain();
        this.lastCommitKey = layout.meta('V');
    }

    @Override
    public Taken take() {
        epoch = step.takeFence(domain);
        byte[] last = store.get(RowLayout.META, lastCommitKey);
        return new Taken(
                epoch,
                last == null
                        ? LastCommit.NONE
                        : new LastCommit(
                                RowLayout.longAt(last, 0), RowLayout.longAt(last, Long.BYTES)));
    }

    @Override
    public DurableStep.Outcome commit(WriteBatch batch, long version) {
        byte[] last = new byte[2 * Long.BYTES];
        RowLayout.putLong(last, 0, epoch);
        RowLayout.putLong(last, Long.BYTES, version);
        return step.commit(domain, epoch, batch.put(RowLayout.META, lastCommitKey, last));
    }
}
