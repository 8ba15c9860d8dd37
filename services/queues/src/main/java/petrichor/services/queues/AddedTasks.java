package petrichor.services.queues;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.MinuteCount;
import petrichor.base.OverQuota;
import petrichor.base.RateLimit;
import petrichor.base.TimeSource;

/**
 * Keeps the tasks that a project adds within its quotas. Tasks that are added count at once; those
 * that leave the queues are noticed when the count would be over the quota and is older than {@link
 * #COUNT_AGAIN}. Thread-safe; may read the queues.
 */
final class AddedTasks {
    /** Between scans of the queues of a project that is over its quota. */
    static final Duration COUNT_AGAIN = Duration.ofSeconds(1);

    private static final System.Logger LOG = System.getLogger(AddedTasks.class.getName());
    private static final Duration LOG_EVERY = Duration.ofMinutes(1);

    private final String project;
    private final TaskQuotas quotas;
    private final LongUnaryOperator count;
    private final TimeSource time;
    private final MinuteCount added = new MinuteCount();
    private final LongAdder refusedAdds = new LongAdder();
    private final LongAdder refusedWaiting = new LongAdder();
    private @Nullable RateLimit rate;

    /** At most as many tasks are waiting. */
    private long waiting;

    private boolean counted;
    private long countedNanos;
    private long loggedNanos;
    private boolean logged;

    /**
     * @param count tasks in all queues, up to the given number
     */
    AddedTasks(String project, TaskQuotas quotas, LongUnaryOperator count, TimeSource time) {
        this.project = project;
        this.quotas = quotas;
        this.count = count;
        this.time = time;
    }

    /** RESOURCE_EXHAUSTED if so many would exceed a quota. */
    synchronized void require(int tasks) {
        OptionalLong most = quotas.waiting(project);
        if (most.isPresent() && !fits(tasks, most.getAsLong())) {
            refusedWaiting.add(tasks);
            log("waiting-tasks", most.getAsLong(), refusedWaiting.sum());
            throw OverQuota.of(project, "waiting-tasks", Long.toString(most.getAsLong()));
        }
        OptionalLong perMinute = quotas.addedPerMinute(project);
        if (perMinute.isPresent() && !bucket(perMinute.getAsLong()).take(tasks)) {
            refusedAdds.add(tasks);
            log("tasks", perMinute.getAsLong(), refusedAdds.sum());
            throw OverQuota.of(project, "tasks", perMinute.getAsLong() + "/min");
        }
        waiting += tasks;
        added.add(time.monotonicNanos(), tasks);
    }

    private boolean fits(int tasks, long most) {
        long now = time.monotonicNanos();
        boolean old = !counted || now - countedNanos >= COUNT_AGAIN.toNanos();
        if ((!counted || waiting + tasks > most) && old) {
            waiting = count.applyAsLong(most);
            counted = true;
            countedNanos = now;
        }
        return waiting + tasks <= most;
    }

    private RateLimit bucket(long perMinute) {
        RateLimit bucket = rate;
        if (bucket == null) {
            bucket = new RateLimit(perMinute, perMinute, time);
            rate = bucket;
        }
        bucket.change(perMinute, perMinute);
        return bucket;
    }

    private void log(String quota, long limit, long refused) {
        long now = time.monotonicNanos();
        if (!logged || now - loggedNanos >= LOG_EVERY.toNanos()) {
            logged = true;
            loggedNanos = now;
            LOG.log(
                    Level.WARNING,
                    "quota app={0} quota={1} limit={2} refused={3}",
                    project,
                    quota,
                    Long.toString(limit),
                    Long.toString(refused));
        }
    }

    TaskUse use() {
        return new TaskUse(
                added.lastMinute(time.monotonicNanos()), refusedAdds.sum(), refusedWaiting.sum());
    }
}
