package petrichor.transactions.changes;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Notifies readers of the feed that a step has ended. A step for which no reader waits costs one
 * volatile read. Thread-safe.
 */
public final class VersionSignal {
    private final AtomicReference<@Nullable CompletableFuture<Void>> waiting =
            new AtomicReference<>();

    /** Completes after the next step. Then check whether the awaited step has ended before. */
    public CompletableFuture<Void> next() {
        while (true) {
            CompletableFuture<Void> present = waiting.get();
            if (present != null) {
                return present;
            }
            CompletableFuture<Void> added = new CompletableFuture<>();
            if (waiting.compareAndSet(null, added)) {
                return added;
            }
        }
    }

    /** Readers continue on other threads than the one that performs steps. */
    public void fire(Scheduler scheduler) {
        if (waiting.get() != null) {
            CompletableFuture<Void> present = waiting.getAndSet(null);
            if (present != null) {
                scheduler.run(() -> present.complete(null));
            }
        }
    }

    /** Readers find that the database is closed. */
    public void close() {
        CompletableFuture<Void> present = waiting.getAndSet(null);
        if (present != null) {
            present.complete(null);
        }
    }
}
