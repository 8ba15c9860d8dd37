package petrichor.server;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;

/**
 * The number of databases, for metrics: read from the store, but no caller waits long for a store
 * that does not respond. Safe for any thread.
 */
final class DatabaseCount {
    private static final Duration WAIT_MAX = Duration.ofMillis(500);

    private final IntSupplier ask;
    private final AtomicReference<CompletableFuture<Boolean>> asked =
            new AtomicReference<>(CompletableFuture.completedFuture(true));
    private volatile int latest;

    /**
     * @param ask the store; may throw, and may take its time
     */
    DatabaseCount(IntSupplier ask) {
        this.ask = ask;
    }

    /** What the store said last. At most one question is under way. */
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
