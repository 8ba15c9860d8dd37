package petrichor.kv.ranges;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs splits of partitions and their recovery; no request waits for them. */
interface Background {
    /** Runs the task once, not before this time has passed; never after the store was closed. */
    void run(Runnable task, Duration after);

    default void close() {}

    /** One thread. */
    static Background thread() {
        ScheduledExecutorService thread =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("petrichor-range-splitter").factory());
        return new Background() {
            @Override
            public void run(Runnable task, Duration after) {
                try {
                    var _ = thread.schedule(task, after.toNanos(), TimeUnit.NANOSECONDS);
                } catch (RejectedExecutionException closed) {
                    // The rest is done when the store is opened again.
                }
            }

            @Override
            public void close() {
                thread.shutdownNow();
            }
        };
    }
}
