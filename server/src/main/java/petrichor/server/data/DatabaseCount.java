package petrichor.server.data;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;

/**
 * The number of databases, for metrics. It is read from the store in the background, so that
 * callers do not wait for a store that does not respond. Thread-safe.
 */
final class DatabaseCount {
    private static final Duration WAIT_MAX = Duration.ofMillis(500);

    private final IntSupplier ask;
    private final AtomicReference<CompletableFuture<Boolean>> asked =
            new AtomicReference<>(CompletableFuture.completedFuture(true));
    private volatile int latest;

    /**
     * @param ask reads the number from the store; may throw and may block
     */
    DatabaseCount(IntSupplier ask) {
        this.ask = ask;
    }

    /** The last number read from the store. At most one read is in progress. */
    int latest() {
        CompletableFuture<Boolean> before = asked.get();
        CompletableFuture<Boolean> next = new CompletableFuture<>();
        if (before.isDone() && asked.compareAndSet(before, next)) {
            Thread.ofVirtual().name("database-count").start(() -> ask(next));
            try {
                next.get(WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException unanswered) {
                return latest;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return latest;
    }

    private void ask(CompletableFuture<Boolean> answer) {
        try {
            latest = ask.getAsInt();
            answer.complete(true);
        } catch (RuntimeException failed) {
            answer.completeExceptionally(failed);
        }
    }
}
