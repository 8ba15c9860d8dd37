package petrichor.transactions.scheduling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Blocks threads until a condition holds, up to a deadline of the injected clock. Thread-safe; a
 * waiting thread holds no lock of this class.
 */
public final class TimedWaits {
    private record Wait(BooleanSupplier done, long deadline, CompletableFuture<Void> end) {}

    private final Duration max;
    private final Supplier<PetrichorException> timeout;
    private final TimeSource time;
    private final Scheduler scheduler;

    private final List<Wait> waits = new ArrayList<>();
    private boolean timer;
    private boolean closed;

    /**
     * @param timeout thrown to a thread at its deadline, or on close
     */
    public TimedWaits(
            Duration max,
            Supplier<PetrichorException> timeout,
            TimeSource time,
            Scheduler scheduler) {
        this.max = max;
        this.timeout = timeout;
        this.time = time;
        this.scheduler = scheduler;
    }

    public synchronized boolean isEmpty() {
        return waits.isEmpty();
    }

    /**
     * Returns when the condition holds, which is evaluated under the lock of this object.
     *
     * @param waiting called once if the thread has to wait
     */
    public void await(BooleanSupplier done, Runnable waiting) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        synchronized (this) {
            if (done.getAsBoolean()) {
                return;
            }
            if (closed) {
                throw timeout.get();
            }
            waits.add(new Wait(done, time.monotonicNanos() + max.toNanos(), end));
            startTimer();
        }
        waiting.run();
        try {
            end.get();
        } catch (ExecutionException late) {
            throw timeout.get();
        } catch (InterruptedException interrupted) {
            forget(end);
            Thread.currentThread().interrupt();
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, "The server is shutting down; retry.");
        }
    }

    private synchronized void forget(CompletableFuture<Void> end) {
        end.cancel(false);
        waits.removeIf(wait -> wait.end.isDone());
    }

    private void startTimer() {
        if (!timer) {
            timer = true;
            scheduler.runAtDeadline(this::expire, max);
        }
    }

    private void expire() {
        synchronized (this) {
            timer = false;
            long now = time.monotonicNanos();
            waits.removeIf(wait -> now - wait.deadline >= 0 && fail(wait));
            if (!waits.isEmpty()) {
                startTimer();
            }
        }
    }

    private boolean fail(Wait wait) {
        return wait.end.completeExceptionally(timeout.get());
    }

    /** Ends the waits whose condition holds now; call after a change. */
    public synchronized void check() {
        if (!waits.isEmpty()) {
            waits.removeIf(wait -> wait.done.getAsBoolean() && wait.end.complete(null));
        }
    }

    /** Ends all waits; later ones end immediately. */
    public synchronized void close() {
        closed = true;
        waits.forEach(this::fail);
        waits.clear();
    }
}
