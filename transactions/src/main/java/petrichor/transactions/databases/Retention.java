package petrichor.transactions.databases;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import petrichor.kv.WriteBatch;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.changes.Consumers;
import petrichor.transactions.changes.KeptChanges;
import petrichor.transactions.commit.DurableSteps;
import petrichor.transactions.commit.GroupCommit;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.scheduling.Futures;

/**
 * Removes history and change records that are older than the retention period, by the hour, and
 * that no open reader, no consumer of changes and no branch needs.
 *
 * <p>Readers call {@link #from} after they have announced what they read; the collector announces
 * what it will remove before it looks for readers. Thread-safe; one thread collects.
 */
final class Retention {
    private final TableLayout layout;
    private final DurableSteps steps;
    private final GroupCommit commits;
    private final Consumers consumers;
    private final LongSupplier branches;
    private final TransactionLimits limits;

    /** Earlier history is removed or about to be removed. */
    private volatile long retainedFrom;

    /** Held while history is removed. */
    private final ReentrantLock removing = new ReentrantLock();

    private volatile boolean collecting;
    private volatile KeptChanges kept;

    /**
     * @param branches the oldest version that branches share, as stored; {@code Long.MAX_VALUE} if
     *     there are none
     */
    Retention(
            TableLayout layout,
            DurableSteps steps,
            GroupCommit commits,
            Consumers consumers,
            LongSupplier branches,
            TransactionLimits limits) {
        this.layout = layout;
        this.steps = steps;
        this.commits = commits;
        this.consumers = consumers;
        this.branches = branches;
        this.limits = limits;
        this.kept = stored();
        this.retainedFrom = kept.from();
    }

    /** Nothing after this version is removed. */
    long from() {
        return retainedFrom;
    }

    /**
     * What readers of changes find; valid for positions with an open read point. Waits for a
     * removal that is under way and may not have seen the read point.
     */
    KeptChanges kept() {
        if (!collecting) {
            return kept;
        }
        removing.lock();
        try {
            return kept;
        } finally {
            removing.unlock();
        }
    }

    /**
     * The same, as stored: also what other owners have removed. Stored before anything is removed.
     */
    KeptChanges stored() {
        return KeptChanges.decode(steps.rows().get(TableLayout.META, layout.meta('G')));
    }

    void collect(long now) {
        removing.lock();
        try {
            // Before readers are looked for.
            collecting = true;
            collectLocked(now);
        } finally {
            collecting = false;
            removing.unlock();
        }
    }

    private void collectLocked(long now) {
        long keepFrom = now - limits.retention().toNanos() / 1000;
        if (keepFrom <= 0) {
            return;
        }
        int hour = TableLayout.hourOf(keepFrom);
        // A branch has nothing from before it began.
        long removed = Math.max(retainedFrom, layout.branchedAt());
        if (TableLayout.startOfHour(hour) <= removed) {
            return;
        }
        long former = retainedFrom;
        // Announced before checking for readers.
        retainedFrom = TableLayout.startOfHour(hour);
        // In this order: a branch is stored before the snapshot of which it is made is closed.
        long needed = Math.min(steps.readPoints().oldest(), heldFrom(now));
        needed = Math.min(needed, branches.getAsLong());
        if (needed < retainedFrom) {
            hour = TableLayout.hourOf(needed);
            if (TableLayout.startOfHour(hour) <= removed) {
                retainedFrom = former;
                return;
            }
            retainedFrom = TableLayout.startOfHour(hour);
        }
        remove(hour);
    }

    private long heldFrom(long now) {
        return consumers.heldFrom(now - limits.consumerHold().toNanos() / 1000);
    }

    /** The mark first, and complete in the store: see {@link #stored}. */
    private void remove(int hour) {
        // A step of this owner, which the search for lost changes starts from.
        mark(kept);
        KeptChanges next = steps.changeLog().removingBefore(steps.rows(), retainedFrom, kept);
        mark(next);
        var _ = steps.appliedVersion();
        kept = next;
        if (branches.getAsLong() < TableLayout.startOfHour(hour)) {
            // Another process, which owned the database before, has just made a branch. It fails if
            // it sees the mark, and is seen here if it does not.
            return;
        }
        Futures.join(
                commits.write(
                        new WriteBatch()
                                .deleteRange(TableLayout.HISTORY, layout.historyBefore(hour))
                                .deleteRange(TableLayout.META, layout.changesBefore(next.from()))));
    }

    private void mark(KeptChanges mark) {
        Futures.join(
                commits.write(
                        new WriteBatch().put(TableLayout.META, layout.meta('G'), mark.encode())));
    }
}
