package petrichor.transactions.rows;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.KeyTree;
import petrichor.base.MemoryBudget;
import petrichor.kv.Reads;
import petrichor.kv.WriteBatch;

/**
 * Rows that recent commits replaced, cached in memory for a while: a reader at a version newer than
 * all evicted rows need not query the store whether a missing row existed a moment ago. With this,
 * most reads need one round trip in stores without views. If the memory of all databases is used
 * up, rows are evicted earlier, which costs readers that round trip.
 *
 * <p>Complete only while no other process commits: a process that may have lost ownership queries
 * the store as well. Any thread reads; the owner's commits and their application synchronize their
 * changes.
 */
public final class RecentHistory implements AutoCloseable {
    private static final long BYTES_MAX = 16L << 20;

    /** Memory of a row in addition to its key and value. */
    private static final int ROW_BYTES = 96;

    /**
     * @param since complete for versions above this one
     */
    private record Known(@Nullable KeyTree<RecentRow> rows, long since) {}

    /** The history of one step, in step order. */
    private record Step(WriteBatch rows, long version, long bytes) {}

    private final BooleanSupplier alone;
    private final SplittableRandom priorities = new SplittableRandom(1);
    private final Deque<Step> steps = new ArrayDeque<>();

    /** The latest rows, not in the tree yet: often they are evicted before they are read. */
    private final Deque<Step> unsorted = new ArrayDeque<>();

    private final MemoryBudget memory;
    private long bytes;

    /** The part of {@link #bytes} that the budget has granted. */
    private long reserved;

    private boolean closed;

    private volatile boolean complete = true;
    private volatile Known known = new Known(null, Long.MAX_VALUE);

    /**
     * @param alone true if no other process can have committed until now
     * @param memory shared with the other databases of the process
     */
    public RecentHistory(BooleanSupplier alone, MemoryBudget memory) {
        this.alone = alone;
        this.memory = memory;
    }

    /** Call before the store can show any row of the step. */
    public synchronized void add(WriteBatch batch, long version) {
        WriteBatch history = new WriteBatch();
        for (WriteBatch.Op change : batch.ops()) {
            if (change instanceof WriteBatch.Put && change.table().equals(TableLayout.HISTORY)) {
                history.add(change);
            }
        }
        if (history.isEmpty()) {
            return;
        }
        long added = history.bytes() + (long) history.ops().size() * ROW_BYTES;
        Step step = new Step(history, version, added);
        steps.add(step);
        unsorted.add(step);
        bytes += added;
        if (!closed && memory.tryReserve(added)) {
            reserved += added;
        }
        complete = false;
    }

    private synchronized Known sorted() {
        KeyTree<RecentRow> rows = known.rows;
        for (Step step = unsorted.poll(); step != null; step = unsorted.poll()) {
            for (WriteBatch.Op change : step.rows.ops()) {
                if (change instanceof WriteBatch.Put put) {
                    rows =
                            KeyTree.put(
                                    rows,
                                    put.key(),
                                    new RecentRow(put.value(), step.version),
                                    priorities.nextInt());
                }
            }
        }
        known = new Known(rows, known.since);
        complete = true;
        return known;
    }

    /**
     * Evicts the oldest rows above the limit, or that exceed the budget, but none that the store
     * may not show yet.
     */
    public synchronized void trim(long shownVersion) {
        KeyTree<RecentRow> rows = known.rows;
        long since = known.since;
        while ((bytes > BYTES_MAX || bytes > reserved)
                && steps.getFirst().version <= shownVersion) {
            Step oldest = steps.removeFirst();
            if (steps.size() < unsorted.size()) {
                unsorted.removeFirst();
            } else {
                for (WriteBatch.Op change : oldest.rows.ops()) {
                    if (change instanceof WriteBatch.Put put) {
                        rows = RecentRow.remove(rows, put.key(), oldest.version);
                    }
                }
            }
            bytes -= oldest.bytes;
            releaseAbove(bytes);
            since = Math.max(since, oldest.version);
        }
        known = new Known(rows, since);
    }

    /** The store may contain rows that are missing here. */
    public synchronized void invalidate() {
        known = new Known(known.rows, Long.MAX_VALUE);
    }

    /** The store shows all commits up to this version; later ones are added here. */
    public synchronized void startAt(long version) {
        steps.clear();
        unsorted.clear();
        bytes = 0;
        releaseAbove(0);
        known = new Known(null, version);
        complete = true;
    }

    /** Returns the memory to the budget. Reads that are under way keep what they see. */
    @Override
    public synchronized void close() {
        closed = true;
        releaseAbove(0);
    }

    private void releaseAbove(long kept) {
        if (reserved > kept) {
            memory.release(reserved - kept);
            reserved = kept;
        }
    }

    /**
     * History that is complete after {@code version}. Request it after the rows were read: it then
     * includes all concurrent changes.
     */
    Reads after(long version, Reads store) {
        Known now = complete ? known : sorted();
        boolean whole = version >= now.since && alone.getAsBoolean();
        return new LayeredReads(_ -> now.rows, whole ? null : store);
    }
}
