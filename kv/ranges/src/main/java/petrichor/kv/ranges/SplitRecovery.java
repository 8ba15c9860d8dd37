package petrichor.kv.ranges;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Finishes splits that failed or whose process failed. Retries each in the background with
 * exponential backoff while the store is open; until then only conditional writes to the partition
 * itself fail. {@link #problem()} fails readiness after a second failed attempt: the first failure
 * may only be a server restart. Thread-safe.
 */
final class SplitRecovery {
    private static final Logger LOG = System.getLogger("petrichor.kv.ranges");

    private static final Duration PAUSE_MIN = Duration.ofSeconds(1);
    private static final Duration PAUSE_MAX = Duration.ofMinutes(1);

    /** Number of consecutive failures after which a partition is reported as a problem. */
    private static final int FAILURES_OF_A_PROBLEM = 2;

    /** Minimum time between warnings, regardless of the number of partitions. */
    private static final long WARNING_PERIOD_NANOS = Duration.ofSeconds(30).toNanos();

    /** Number of states requested at once when searching for unfinished splits. */
    private static final int STATES_AT_ONCE = 64;

    private record Failed(SplitPlan plan, RuntimeException cause, int failures) {
        boolean isProblem() {
            return failures >= FAILURES_OF_A_PROBLEM;
        }

        Duration pause() {
            long factor = 1L << Math.min(failures - 1, 10);
            Duration pause = PAUSE_MIN.multipliedBy(factor);
            return pause.compareTo(PAUSE_MAX) < 0 ? pause : PAUSE_MAX;
        }
    }

    private final PartitionedRows rows;
    private final PartitionSplit split;
    private final Background background;
    private final LongSupplier nanos;
    private final ConcurrentHashMap<Long, Failed> failed = new ConcurrentHashMap<>();
    private final AtomicLong warnedAt;
    private int searches;

    /**
     * @param nanos a clock that does not go backwards
     */
    SplitRecovery(
            PartitionedRows rows, PartitionSplit split, Background background, LongSupplier nanos) {
        this.rows = rows;
        this.split = split;
        this.background = background;
        this.nanos = nanos;
        this.warnedAt = new AtomicLong(nanos.getAsLong() - WARNING_PERIOD_NANOS);
        split.watch(this::failed, this::finished);
    }

    private void failed(SplitPlan plan, RuntimeException cause) {
        long partition = plan.replaced().partition();
        boolean[] first = new boolean[1];
        Failed now =
                failed.compute(
                        partition,
                        (_, before) -> {
                            first[0] = before == null;
                            return new Failed(
                                    plan, cause, before == null ? 1 : before.failures + 1);
                        });
        warn(now);
        if (first[0]) {
            background.run(() -> retry(partition), now.pause());
        }
    }

    private void warn(Failed now) {
        long at = nanos.getAsLong();
        long last = warnedAt.get();
        if (at - last < WARNING_PERIOD_NANOS || !warnedAt.compareAndSet(last, at)) {
            LOG.log(Level.DEBUG, "a split failed again: {0}", now.cause.toString());
            return;
        }
        LOG.log(
                Level.WARNING,
                "splitting a partition of the table ''{0}'' failed ({1} times): {2}. It is retried"
                        + " in the background; {3} partitions wait. Conditional writes to them"
                        + " fail until then; other reads and writes do not",
                now.plan.table(),
                now.failures,
                now.cause.getMessage(),
                failed.size());
    }

    private void finished(long partition) {
        Failed before = failed.remove(partition);
        if (before != null) {
            LOG.log(
                    Level.INFO,
                    "the split of a partition of the table ''{0}'' is finished after {1} failures",
                    before.plan.table(),
                    before.failures);
        }
    }

    private void retry(long partition) {
        if (!failed.containsKey(partition)) {
            return;
        }
        try {
            split.finish(partition);
            // Also if another process has finished it, or the table no longer exists.
            finished(partition);
        } catch (RuntimeException again) {
            Failed now = failed.get(partition);
            background.run(() -> retry(partition), now == null ? PAUSE_MAX : now.pause());
        }
    }

    /** Why conditional writes to this partition cannot succeed at the moment; null if they may. */
    @Nullable PetrichorException refusal(long partition) {
        Failed now = failed.get(partition);
        return now == null || !now.isProblem() ? null : refusal(now.plan.table(), now.cause);
    }

    static PetrichorException refusal(String table, RuntimeException cause) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "a partition of the table '{table}' accepts no conditional writes, because its"
                        + " split failed: {reason} (it is retried in the background; retry later)",
                "reason",
                cause.getMessage(),
                "table",
                table);
    }

    /** See {@link petrichor.kv.KeyValueStore#problem()}. */
    Optional<String> problem() {
        List<Failed> problems = failed.values().stream().filter(Failed::isProblem).toList();
        return problems.stream()
                .findFirst()
                .map(
                        one ->
                                problems.size()
                                        + " partitions cannot be split, such as one of the table '"
                                        + one.plan.table()
                                        + "': "
                                        + one.cause.getMessage());
    }

    /** Searches the whole directory for unfinished splits. */
    void search() {
        background.run(this::searchNow, Duration.ZERO);
    }

    private void searchNow() {
        try {
            for (String table : rows.tables()) {
                List<RangeEntry> lines = rows.directory(table);
                for (int from = 0; from < lines.size(); from += STATES_AT_ONCE) {
                    finishSealed(
                            lines.subList(from, Math.min(lines.size(), from + STATES_AT_ONCE)));
                }
            }
        } catch (RuntimeException unreachable) {
            LOG.log(Level.DEBUG, "looking for unfinished splits failed; retrying", unreachable);
            searches++;
            background.run(this::searchNow, PAUSE_MIN.multipliedBy(Math.min(searches, 60)));
        }
    }

    private void finishSealed(List<RangeEntry> lines) {
        List<CompletableFuture<PartitionState>> states =
                lines.stream().map(line -> rows.state(line.partition())).toList();
        for (int at = 0; at < lines.size(); at++) {
            if (Replies.await(states.get(at)) == PartitionState.SEALED) {
                try {
                    split.finish(lines.get(at).partition());
                } catch (RuntimeException recorded) {
                    LOG.log(Level.DEBUG, "an unfinished split is retried later", recorded);
                }
            }
        }
    }
}
