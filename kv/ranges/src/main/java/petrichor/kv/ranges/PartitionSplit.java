package petrichor.kv.ranges;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;

/**
 * Replaces a partition by smaller ones: seal it, copy what it remembers, open the copies, exchange
 * the lines in the directory. Every step can be done twice, by whoever, at any later time: the plan
 * lies in the sealed partition, versioned rows keep their versions, and the others are copied only
 * into partitions that nobody uses yet. Safe for any thread.
 */
final class PartitionSplit {
    private static final int COPIED_ROWS_AT_FIRST = 10;
    private static final int COPIED_ROWS_MAX = 500;
    private static final int COPIED_BYTES = 1 << 20;

    private final PartitionedRows rows;
    private final RangeLimits limits;
    private final LongSupplier newPartition;

    PartitionSplit(PartitionedRows rows, RangeLimits limits, LongSupplier newPartition) {
        this.rows = rows;
        this.limits = limits;
        this.newPartition = newPartition;
    }

    /**
     * Measures the partition and splits it if it has grown too big.
     *
     * @param rowBytes of an average row, as far as known
     * @param changes how many it saw, as far as known
     * @return whether it was split
     */
    boolean measured(String table, RangeEntry line, long rowBytes, long changes) {
        long rowsTarget = Math.max(1, limits.rowsMax() / 2);
        if (rowBytes > 0) {
            rowsTarget = Math.clamp(limits.bytesMax() / 2 / rowBytes, 1, rowsTarget);
        }
        List<byte[]> cuts = new ArrayList<>();
        long counted = 0;
        byte[] from = line.range().from();
        while (true) {
            List<byte[]> keys =
                    Answers.await(rows.keys(line.partition(), from, limits.pageRowsMax()));
            for (byte[] key : keys) {
                if (counted > 0 && counted % rowsTarget == 0) {
                    cuts.add(key);
                }
                counted++;
            }
            if (keys.size() < limits.pageRowsMax()) {
                break;
            }
            from = Bytes.successor(keys.getLast());
        }
        boolean big = counted > limits.rowsMax() || counted * rowBytes > limits.bytesMax();
        boolean worn = changes > limits.changesMax();
        if (!big && !worn) {
            return false;
        }
        if (!cuts.isEmpty() && counted % rowsTarget < rowsTarget / 2) {
            // A last part that is nearly empty is not worth a partition.
            cuts.removeLast();
        }
        split(table, line, cuts);
        return true;
    }

    /**
     * Replaces the partition by one more than there are cuts.
     *
     * @param cuts keys inside the range, in order
     */
    void split(String table, RangeEntry line, List<byte[]> cuts) {
        List<RangeEntry> children = new ArrayList<>();
        byte[] from = line.range().from();
        for (byte[] cut : cuts) {
            children.add(new RangeEntry(new KeyRange(from, cut), newPartition.getAsLong()));
            from = cut;
        }
        children.add(
                new RangeEntry(new KeyRange(from, line.range().to()), newPartition.getAsLong()));
        SplitPlan plan = rows.seal(line.partition(), new SplitPlan(table, line, children));
        if (plan != null) {
            carryOut(plan);
        }
    }

    /** Finishes what another one has begun; does nothing if it is not sealed. */
    void finish(long partition) {
        SplitPlan plan = rows.plan(partition);
        if (plan != null) {
            carryOut(plan);
        }
    }

    private void carryOut(SplitPlan plan) {
        for (RangeEntry child : plan.children()) {
            rows.make(child.partition(), PartitionState.NEW);
        }
        copy(plan);
        for (RangeEntry child : plan.children()) {
            rows.open(child.partition());
        }
        if (!rows.replace(plan) && !isReplaced(plan)) {
            // The table was dropped meanwhile.
            for (RangeEntry child : plan.children()) {
                rows.discard(child.partition());
            }
        }
        rows.discard(plan.replaced().partition());
    }

    private void copy(SplitPlan plan) {
        byte @Nullable [] from = plan.replaced().range().from();
        int rowsMax = COPIED_ROWS_AT_FIRST;
        boolean first = true;
        while (from != null) {
            PartitionContents part =
                    rows.contents(plan.replaced().partition(), from, first, rowsMax);
            first = false;
            rowsMax = next(part.rows());
            for (RangeEntry child : plan.children()) {
                PartitionContents its = within(child.range(), part);
                if (!its.rows().isEmpty() || !its.rangeDeletes().isEmpty()) {
                    rows.copy(child.partition(), its);
                }
            }
            from = part.resumeFrom();
        }
    }

    /** So many rows that they are about as many bytes as are moved at once. */
    private static int next(List<PartitionContents.StoredRow> copied) {
        long bytes = 1;
        for (PartitionContents.StoredRow row : copied) {
            byte[] value = row.value();
            bytes += row.key().length + (value == null ? 0 : value.length);
        }
        return Math.clamp(COPIED_BYTES * (long) copied.size() / bytes, 1, COPIED_ROWS_MAX);
    }

    private static PartitionContents within(KeyRange range, PartitionContents part) {
        List<PartitionContents.StoredRangeDelete> deletes = new ArrayList<>();
        for (PartitionContents.StoredRangeDelete delete : part.rangeDeletes()) {
            KeyRange shared = shared(range, delete.range());
            if (!shared.isEmpty()) {
                deletes.add(new PartitionContents.StoredRangeDelete(shared, delete.version()));
            }
        }
        return new PartitionContents(
                part.rows().stream().filter(row -> range.contains(row.key())).toList(),
                deletes,
                null);
    }

    /** The keys that are in both; an empty range if there are none. */
    static KeyRange shared(KeyRange one, KeyRange other) {
        byte[] from = Bytes.compare(one.from(), other.from()) > 0 ? one.from() : other.from();
        byte[] to = one.to();
        byte[] otherTo = other.to();
        if (to == null || (otherTo != null && Bytes.compare(otherTo, to) < 0)) {
            to = otherTo;
        }
        return to != null && Bytes.compare(to, from) < 0
                ? new KeyRange(from, from)
                : new KeyRange(from, to);
    }

    /** Whether another one has exchanged the lines; they may have been replaced again since. */
    private boolean isReplaced(SplitPlan plan) {
        try {
            RangeMap now = new RangeMap(rows.directory(plan.table()));
            return !now.has(plan.replaced());
        } catch (IllegalArgumentException dropped) {
            return false;
        } catch (PetrichorException e) {
            // Nobody knows: what is kept too long does no harm.
            return true;
        }
    }
}
