package petrichor.transactions.commit;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of the commits of one database since it was opened. Thread-safe. */
public final class CommitCounters {
    private final LongAdder commits = new LongAdder();
    private final LongAdder conflicts = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder syncs = new LongAdder();
    private final LongAdder recoveries = new LongAdder();
    private final AtomicLong groupCommitsMax = new AtomicLong();

    void committed(int group) {
        commits.add(group);
        groupCommitsMax.accumulateAndGet(group, Math::max);
    }

    void conflicted() {
        conflicts.increment();
    }

    void refused() {
        refusals.increment();
    }

    void synced() {
        syncs.increment();
    }

    void recovered() {
        recoveries.increment();
    }

    public long commits() {
        return commits.sum();
    }

    public long conflicts() {
        return conflicts.sum();
    }

    public long refusals() {
        return refusals.sum();
    }

    public long syncs() {
        return syncs.sum();
    }

    public long recoveries() {
        return recoveries.sum();
    }

    public long groupCommitsMax() {
        return groupCommitsMax.get();
    }
}
