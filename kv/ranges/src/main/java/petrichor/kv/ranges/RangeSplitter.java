package petrichor.kv.ranges;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongUnaryOperator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.WriteBatch;

/**
 * Splits partitions that have grown too big, in the background, and waits for splits of others.
 * Safe for any thread.
 */
final class RangeSplitter {
    private static final Logger LOG = System.getLogger("petrichor.kv.ranges");

    private final RangeDirectory directory;
    private final PartitionSplit split;
    private final RangeLimits limits;
    private final PartitionLoad load;
    private final Executor background;
    private final Pauses pauses;
    private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

    RangeSplitter(
            RangeDirectory directory,
            PartitionSplit split,
            RangeLimits limits,
            LongUnaryOperator random,
            Executor background,
            Pauses pauses) {
        this.directory = directory;
        this.split = split;
        this.limits = limits;
        this.load = new PartitionLoad(limits, random);
        this.background = background;
        this.pauses = pauses;
    }

    /** Counts what was written, and has the partition measured when it is time. */
    void written(String table, RangeEntry line, List<WriteBatch.Op> ops) {
        long bytes = 0;
        for (WriteBatch.Op op : ops) {
            bytes +=
                    switch (op) {
                        case WriteBatch.Put put -> put.key().length + put.value().length;
                        case WriteBatch.Delete delete -> delete.key().length;
                        case WriteBatch.DeleteRange delete -> delete.range().from().length;
                    };
        }
        if (load.add(line.partition(), ops.size(), bytes) && underWay.add(line.partition())) {
            background.execute(() -> measure(table, line));
        }
    }

    private void measure(String table, RangeEntry line) {
        long partition = line.partition();
        try {
            if (split.measured(table, line, load.rowBytes(partition), load.changes(partition))) {
                load.forget(partition);
                directory.refreshed(table);
            }
        } catch (RuntimeException later) {
            // Measured again after some more writes; a split that was begun is finished by whoever
            // needs the partition.
            LOG.log(Level.DEBUG, "the partition of {0} was not split: {1}", line, later);
        } finally {
            underWay.remove(partition);
        }
    }

    /**
     * Waits until this line is not in the directory any more, and helps if it takes long.
     *
     * @throws PetrichorException NOT_FOUND if the table is gone, UNAVAILABLE if it takes too long
     */
    void awaitReplaced(String table, RangeEntry line) {
        for (int pauseCount = 0; pauseCount <= limits.pausesMax(); pauseCount++) {
            if (!directory.refreshed(table).has(line)) {
                return;
            }
            if (pauseCount > 0 && pauseCount % limits.pausesBeforeHelp() == 0) {
                split.finish(line.partition());
            } else {
                pauses.pause(limits.pause());
            }
        }
        throw new PetrichorException(
                ErrorCode.UNAVAILABLE,
                "a part of the table '"
                        + table
                        + "' is being split into smaller ones and takes no changes yet; nobody"
                        + " knows what became of this one, try it again");
    }
}
