package petrichor.kv.ranges;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs partition splits and their recovery; no request waits for them. */
interface Background {
    /** Runs the task once, after this delay; never after the store was closed. */
    void run(Runnable task, Duration after);

    default void close() {}

    /** Runs tasks on one thread. */
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
