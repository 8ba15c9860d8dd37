package petrichor.transactions;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * As many platform threads as there is work: one per database that is being written, since each
 * waits for the store. They end when they were idle for a while. After closing, work is dropped.
 */
final class BackgroundThreads implements Background, AutoCloseable {
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
