package petrichor.transactions.commit;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.ParentRows;
import petrichor.transactions.rows.ScatteredIds;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.scheduling.Futures;

/**
 * Allocates the ids of one database in blocks. A block is made durable before its first id is used;
 * the rest of a block is lost in a crash. Thread-safe; waits for one durable step per block.
 */
public final class IdAllocator {
    /** Most ids per call. */
    static final int COUNT_MAX = 100_000;

    private final TableLayout layout;
    private final Reads rows;
    private final GroupCommit commits;
    private final int block;
    private final @Nullable ParentRows parent;

    private long next;
    private long end;
    private Set<Long> reservedInBlock = new HashSet<>();

    /**
     * @param parent of a branch, which allocates none of the ids that its parent has; null if it is
     *     not a branch
     */
    public IdAllocator(
            TableLayout layout,
            Reads rows,
            GroupCommit commits,
            int block,
            @Nullable ParentRows parent) {
        this.layout = layout;
        this.rows = rows;
        this.commits = commits;
        this.block = block;
        this.parent = parent;
        this.next = firstFree();
        this.end = next;
    }

    private long firstFree() {
        long free = free(rows, layout);
        if (parent != null) {
            for (TableLayout shared : parent.layouts()) {
                free = Math.max(free, free(parent.store(), shared));
            }
        }
        return free;
    }

    private static long free(Reads rows, TableLayout layout) {
        byte[] first = rows.get(TableLayout.META, layout.meta('I'));
        return first == null ? 0 : TableLayout.longAt(first, 0);
    }

    public synchronized long[] allocate(int count) {
        if (count < 0 || count > COUNT_MAX) {
            throw PetrichorException.invalid(
                    "Request between 0 and " + COUNT_MAX + " ids at a time, not {count}.",
                    "count",
                    count);
        }
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            while (next == end || reservedInBlock.contains(next)) {
                if (next == end) {
                    takeBlock(Math.max(block, count - i));
                } else {
                    next++;
                }
            }
            ids[i] = ScatteredIds.idOf(next++);
        }
        return ids;
    }

    private void takeBlock(int size) {
        long newEnd = end + size;
        byte[] value = new byte[Long.BYTES];
        TableLayout.putLong(value, 0, newEnd);
        Futures.join(
                commits.write(new WriteBatch().put(TableLayout.META, layout.meta('I'), value)));
        Set<Long> reserved = new HashSet<>();
        addReserved(rows, layout, newEnd, reserved);
        if (parent != null) {
            for (TableLayout shared : parent.layouts()) {
                addReserved(parent.store(), shared, newEnd, reserved);
            }
        }
        reservedInBlock = reserved;
        end = newEnd;
    }

    private void addReserved(Reads from, TableLayout of, long newEnd, Set<Long> reserved) {
        KeyRange marks = new KeyRange(of.meta('R', end), of.meta('R', newEnd));
        try (Scan scan = from.scan(TableLayout.META, marks, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                reserved.add(TableLayout.longAt(scan.key(), scan.key().length - Long.BYTES));
            }
        }
    }

    public synchronized void reserve(long[] ids) {
        WriteBatch marks = new WriteBatch();
        Set<Long> inBlock = new HashSet<>();
        for (long id : ids) {
            long count = ScatteredIds.countOf(id);
            // The other ids were allocated already, or never will be.
            if (count >= next) {
                marks.put(TableLayout.META, layout.meta('R', count), new byte[0]);
                // Later blocks read their marks from the store.
                if (count < end) {
                    inBlock.add(count);
                }
            }
        }
        if (!marks.isEmpty()) {
            Futures.join(commits.write(marks));
            reservedInBlock.addAll(inBlock);
        }
    }
}
