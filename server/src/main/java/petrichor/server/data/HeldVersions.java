package petrichor.server.data;

import java.util.List;
import java.util.function.Supplier;
import petrichor.base.TimeSource;
import petrichor.server.metrics.Readings;
import petrichor.transactions.Branch;

/**
 * Metrics of the branches, for which their parents keep history. Read from the store in the
 * background, like {@link DatabaseCount}. Thread-safe.
 */
final class HeldVersions {
    private static final int MICROS_PER_SECOND = 1_000_000;

    private final Supplier<List<Branch>> branches;
    private final TimeSource time;
    private final DatabaseCount count;
    private volatile long oldest = Long.MAX_VALUE;

    /**
     * @param branches reads them from the store; may throw and may block
     */
    HeldVersions(Supplier<List<Branch>> branches, TimeSource time) {
        this.branches = branches;
        this.time = time;
        this.count = new DatabaseCount(this::read);
    }

    private int read() {
        List<Branch> found = branches.get();
        oldest = found.stream().mapToLong(Branch::version).min().orElse(Long.MAX_VALUE);
        return found.size();
    }

    void add(Readings readings) {
        readings.gauge("petrichor_branches", "Branches of databases.", count.latest());
        readings.gauge(
                "petrichor_branches_held_seconds",
                "Age of the oldest version for which a database keeps history because of a branch.",
                Math.max(0, time.epochMicros() - oldest) / MICROS_PER_SECOND);
    }
}
