package petrichor.kv.ranges;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.WriteBatch;

/**
 * Splits partitions that have grown too big, in the background, and waits for splits of other
 * processes. Thread-safe.
 */
final class RangeSplitter {
    private static final Logger LOG = System.getLogger("petrichor.kv.ranges");

    private final RangeDirectory directory;
    private final PartitionSplit split;
    private final RangeLimits limits;
    private final PartitionLoad load;
    private final Background background;
    private final Backoff backoff;
    private final SplitRecovery recovery;
    private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

    RangeSplitter(
            RangeDirectory directory,
            PartitionSplit split,
            RangeLimits limits,
            LongUnaryOperator random,
            Background background,
            Backoff backoff,
            SplitRecovery recovery) {
        this.directory = directory;
        this.split = split;
        this.limits = limits;
        this.load = new PartitionLoad(limits, random);
        this.background = background;
        this.backoff = backoff;
        this.recovery = recovery;
    }

    /** Counts written operations, and triggers a measurement of the partition when it is due. */
    void written(String table, RangeEntry line, List<WriteBatch.Op> ops) {
        long bytes = ops.stream().mapToLong(Requests::bytes).sum();
        if (load.add(line.partition(), ops.size(), bytes) && underWay.add(line.partition())) {
            background.run(() -> measure(table, line), Duration.ZERO);
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
            // Measured again after some more writes; recovery continues a split that was started.
            LOG.log(Level.DEBUG, "the partition of {0} was not split: {1}", line, later);
        } finally {
            underWay.remove(partition);
        }
    }

    /**
     * Waits until this entry is no longer in the directory, and helps if it takes long.
     *
     * @throws PetrichorException NOT_FOUND if the table does not exist any more, UNAVAILABLE if it
     *     takes too long or if the split cannot be finished at the moment
     */
    void awaitReplaced(String table, RangeEntry line) {
        for (int pauseCount = 0; pauseCount <= limits.pausesMax(); pauseCount++) {
            if (!directory.refreshed(table).has(line)) {
                return;
            }
            PetrichorException refusal = recovery.refusal(line.partition());
            if (refusal != null) {
                throw refusal;
            }
            if (pauseCount > 0 && pauseCount % limits.pausesBeforeHelp() == 0) {
                help(line);
            } else {
                backoff.pause(limits.pause());
            }
        }
        throw PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "a partition of the table '{table}' is being split and accepts no conditional"
                        + " writes yet; the outcome of this one is unknown, retry",
                "table",
                table);
    }

    private void help(RangeEntry line) {
        try {
            split.finish(line.partition());
        } catch (RuntimeException recorded) {
            // Recovery takes over, and reports why the split cannot continue.
            LOG.log(Level.DEBUG, "helping with a split failed", recorded);
        }
    }
}
