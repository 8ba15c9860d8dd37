package petrichor.services.queues.dispatch;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.TimeSource;
import petrichor.transactions.scheduling.Scheduler;

/** Wakes a dispatcher at the earliest of the times that were set. Thread-safe. */
final class Alarm {
    private final TimeSource time;
    private final Scheduler scheduler;
    private final Runnable wake;

    /** In nanoseconds of the monotonic clock. */
    private final AtomicLong set = new AtomicLong(Long.MAX_VALUE);

    Alarm(TimeSource time, Scheduler scheduler, Runnable wake) {
        this.time = time;
        this.scheduler = scheduler;
        this.wake = wake;
    }

    void set(long nanosFromNow) {
        long at = time.monotonicNanos() + nanosFromNow;
        long known = set.get();
        if (known <= at || !set.compareAndSet(known, at)) {
            return;
        }
        scheduler.runLater(
                () -> {
                    set.compareAndSet(at, Long.MAX_VALUE);
                    wake.run();
                },
                Duration.ofNanos(nanosFromNow));
    }
}
