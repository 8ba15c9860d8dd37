package petrichor.kv.ranges;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;

/**
 * Replaces a partition by smaller ones: seals it, copies its content, opens the copies, and
 * replaces its directory entry. Every step is idempotent, and any process can repeat it at any
 * later time: the plan is in the sealed partition, versioned rows keep their versions, and the
 * others are copied only into partitions that are not in use yet. Thread-safe.
 */
final class PartitionSplit {
    /** A split creates at most one partition more than this. */
    private static final int CUTS_MAX = 63;

    /** The keys of a plan, which it contains twice, take at most this fraction of a write. */
    private static final int PLAN_SHARE = 8;

    /** Rows read at once to find the cut points. */
    private static final int MEASURED_ROWS = 100;

    private final PartitionedRows rows;
    private final RangeLimits limits;
    private final LongSupplier newPartition;
    private final PartitionCopy copy;
    private BiConsumer<SplitPlan, RuntimeException> whenFailed = (_, _) -> {};
    private LongConsumer whenFinished = _ -> {};

    PartitionSplit(PartitionedRows rows, RangeLimits limits, LongSupplier newPartition) {
        this.rows = rows;
        this.limits = limits;
        this.newPartition = newPartition;
        this.copy = new PartitionCopy(rows);
    }

    /**
     * Registers callbacks for splits that fail after their partition was sealed, and for finished
     * ones.
     */
    void watch(BiConsumer<SplitPlan, RuntimeException> whenFailed, LongConsumer whenFinished) {
        this.whenFailed = whenFailed;
        this.whenFinished = whenFinished;
    }

    /**
     * Measures the partition and splits it if it has grown too big.
     *
     * @param rowBytes of an average row, as far as known
     * @param changes number of changes to the partition, as far as known
     * @return whether it was split
     */
    boolean measured(String table, RangeEntry line, long rowBytes, long changes) {
        long counted = count(line);
        boolean big = counted > limits.rowsMax() || counted * rowBytes > limits.bytesMax();
        boolean worn = changes > limits.changesMax();
        if (!big && !worn) {
            return false;
        }
        List<byte[]> cuts = cuts(line);
        if (cuts.isEmpty() && !worn) {
            // The rows are smaller than those that this process has seen.
            return false;
        }
        split(table, line, cuts);
        return true;
    }

    private long count(RangeEntry line) {
        long counted = 0;
        byte[] from = line.range().from();
        while (true) {
            List<byte[]> keys =
                    Replies.await(rows.keys(line.partition(), from, limits.pageRowsMax()));
            counted += keys.size();
            if (keys.size() < limits.pageRowsMax()) {
                return counted;
            }
            from = Bytes.successor(keys.getLast());
        }
    }

    /**
     * Keys that divide the partition into parts of half the maximum size. Reads all rows for that:
     * with rows of mixed sizes, the parts have very different numbers of rows. A plan has a bounded
     * number of parts; a last part that is still too big is split again later.
     */
    private List<byte[]> cuts(RangeEntry line) {
        long rowsTarget = Math.max(1, limits.rowsMax() / 2);
        long bytesTarget = Math.max(1, limits.bytesMax() / 2);
        List<byte[]> cuts = new ArrayList<>();
        long cutBytes = 0;
        long partRows = 0;
        long partBytes = 0;
        byte @Nullable [] from = line.range().from();
        while (from != null
                && cuts.size() < CUTS_MAX
                && cutBytes < rows.writeBytesMax() / PLAN_SHARE) {
            PartitionContents page = rows.contents(line.partition(), from, false, MEASURED_ROWS);
            for (PartitionContents.StoredRow row : page.rows()) {
                long bytes = PartitionCopy.bytes(row);
                if (partRows >= rowsTarget || (partRows > 0 && partBytes + bytes > bytesTarget)) {
                    cuts.add(row.key());
                    cutBytes += row.key().length;
                    partRows = 0;
                    partBytes = 0;
                }
                partRows++;
                partBytes += bytes;
            }
            from = page.resumeFrom();
        }
        if (from == null
                && !cuts.isEmpty()
                && partRows < rowsTarget / 2
                && partBytes < bytesTarget / 2) {
            // A nearly empty last part is not worth a partition.
            cuts.removeLast();
        }
        return cuts.size() > CUTS_MAX ? cuts.subList(0, CUTS_MAX) : cuts;
    }

    /**
     * Replaces the partition; the number of new ones is that of the cuts plus one.
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

    /**
     * Finishes a split that another process started; does nothing if the partition is not sealed.
     */
    void finish(long partition) {
        SplitPlan plan = rows.plan(partition);
        if (plan != null) {
            carryOut(plan);
        }
    }

    private void carryOut(SplitPlan plan) {
        try {
            carryOutAll(plan);
        } catch (RuntimeException failed) {
            whenFailed.accept(plan, failed);
            throw failed;
        }
        whenFinished.accept(plan.replaced().partition());
    }

    private void carryOutAll(SplitPlan plan) {
        for (RangeEntry child : plan.children()) {
            rows.make(child.partition(), PartitionState.NEW);
        }
        copy.run(plan);
        for (RangeEntry child : plan.children()) {
            rows.open(child.partition());
        }
        if (!rows.replace(plan) && !isReplaced(plan)) {
            // The table was dropped in the meantime.
            for (RangeEntry child : plan.children()) {
                rows.discard(child.partition());
            }
        }
        rows.discard(plan.replaced().partition());
    }

    /** The intersection of two ranges; an empty range if they are disjoint. */
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

    /**
     * Whether another process has replaced the entry; the new ones may have been replaced since.
     */
    private boolean isReplaced(SplitPlan plan) {
        try {
            RangeMap now = new RangeMap(rows.directory(plan.table()));
            return !now.has(plan.replaced());
        } catch (IllegalArgumentException dropped) {
            return false;
        } catch (PetrichorException e) {
            // Unknown: keeping a deletion too long does no harm.
            return true;
        }
    }
}
