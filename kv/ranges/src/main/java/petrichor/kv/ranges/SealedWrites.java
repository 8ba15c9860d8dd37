package petrichor.kv.ranges;

import java.util.ArrayList;
import java.util.List;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/**
 * Versioned changes of a partition that is being split. They need not wait for the split: they are
 * written to the partitions that will replace it, then to the sealed one, and are valid if the
 * sealed one is still in the directory afterwards. Readers find them in the sealed partition until
 * it is replaced, and in its replacements from then on; the copy of the split can add only older
 * versions of the same rows. So a split that cannot be finished blocks no commit.
 *
 * <p>Thread-safe.
 */
final class SealedWrites {
    private final PartitionedRows rows;
    private final RangeDirectory directory;
    private final RangeSplitter splitter;

    SealedWrites(PartitionedRows rows, RangeDirectory directory, RangeSplitter splitter) {
        this.rows = rows;
        this.directory = directory;
        this.splitter = splitter;
    }

    /**
     * Returns the operations that must be written again, to the replacements of this partition:
     * none or all.
     */
    List<WriteBatch.Op> putIfNewer(
            String table, RangeEntry line, List<WriteBatch.Op> ops, long version) {
        SplitPlan plan = rows.plan(line.partition());
        if (plan == null) {
            // Replaced, or the table is being dropped.
            splitter.awaitReplaced(table, line);
            return ops;
        }
        for (RangeEntry child : plan.children()) {
            put(child.partition(), within(child.range(), ops), version);
        }
        put(line.partition(), ops, version);
        return directory.refreshed(table).has(line) ? List.of() : ops;
    }

    private void put(long partition, List<WriteBatch.Op> ops, long version) {
        for (List<WriteBatch.Op> request : Requests.of(ops, rows.writeBytesMax())) {
            Replies.await(rows.putIfNewer(partition, request, version));
        }
    }

    private static List<WriteBatch.Op> within(KeyRange range, List<WriteBatch.Op> ops) {
        List<WriteBatch.Op> its = new ArrayList<>();
        for (WriteBatch.Op op : ops) {
            switch (op) {
                case WriteBatch.Put put -> {
                    if (range.contains(put.key())) {
                        its.add(put);
                    }
                }
                case WriteBatch.Delete delete -> {
                    if (range.contains(delete.key())) {
                        its.add(delete);
                    }
                }
                case WriteBatch.DeleteRange(String table, KeyRange deleted) -> {
                    KeyRange shared = PartitionSplit.shared(range, deleted);
                    if (!shared.isEmpty()) {
                        its.add(new WriteBatch.DeleteRange(table, shared));
                    }
                }
            }
        }
        return its;
    }
}
