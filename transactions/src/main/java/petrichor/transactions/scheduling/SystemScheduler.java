package petrichor.transactions.scheduling;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Scheduler on platform threads. Tasks start immediately, each on its own thread, since tasks wait
 * for the store: there is one per database that is being written. Idle threads end after a while.
 * Chores and loops have their own threads. After closing, tasks are dropped.
 */
public final class SystemScheduler implements Scheduler, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SystemScheduler.class.getName());
    private static final long IDLE_SECONDS = 10;
    private static final long CLOSE_SECONDS_MAX = 5;

    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(
                    0,
                    Integer.MAX_VALUE,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    Thread.ofPlatform().daemon().name("apply-", 0).factory());

    @Override
    public void run(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException closed) {
            // Nothing is lost: the next owner applies the rest.
        }
    }

    @Override
    public void runLater(Runnable task, Duration delay) {
        CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, this::run)
                .execute(task);
    }

    @Override
    public void runAtDeadline(Runnable end, Duration after) {
        runLater(end, after);
    }

    /** Logs failures and continues with the next period. */
    @Override
    public Chore repeat(Runnable chore, Duration period) {
        ScheduledExecutorService thread =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("housekeeping").factory());
        Runnable guarded =
                () -> {
                    try {
                        chore.run();
                    } catch (RuntimeException failed) {
                        LOG.log(Level.WARNING, "housekeeping failed; it is retried soon", failed);
                    }
                };
        // Guarded: it cannot fail.
        var _ =
                thread.scheduleWithFixedDelay(
                        guarded, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
        return () -> {
            var _ = thread.shutdownNow();
            try {
                var _ = thread.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        };
    }

    @Override
    public EventLoop loop(String name, EventLoop.Work work) {
        return new ThreadLoop(name, work);
    }

    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
                var _ = threads.shutdownNow();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
