package petrichor.base;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Deadline and cancellation of the request for which the current thread works. The front end binds
 * one around each request; long loops (scans, aggregations, waits for locks) call {@link
 * #checkCurrent} so that a request whose client disconnected or whose deadline passed stops
 * working.
 *
 * <p>Checks throw before anything was changed; they do not stop a commit that was submitted to the
 * committer. Thread-safe.
 */
public final class Cancellation {
    private static final ScopedValue<Cancellation> CURRENT = ScopedValue.newInstance();

    private final long deadlineNanos;
    private final CompletableFuture<Void> left = new CompletableFuture<>();

    private Cancellation(long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
    }

    /**
     * @param timeoutNanos from now; zero or less has passed already
     */
    public static Cancellation after(long timeoutNanos) {
        return new Cancellation(System.nanoTime() + timeoutNanos);
    }

    /** For work for which no client waits. */
    public static Cancellation never() {
        return after(Long.MAX_VALUE / 2);
    }

    /** The instance of the request for which this thread works; null outside requests. */
    public static @Nullable Cancellation current() {
        return CURRENT.isBound() ? CURRENT.get() : null;
    }

    /**
     * Throws if this thread works for a request whose client disconnected or whose deadline passed.
     */
    public static void checkCurrent() {
        Cancellation current = current();
        if (current != null) {
            current.check();
        }
    }

    /** The client has disconnected: work for it can stop. */
    public void cancel() {
        left.complete(null);
    }

    public boolean isCancelled() {
        return left.isDone();
    }

    /**
     * Runs the action once when the client disconnects, on the thread that calls {@link #cancel};
     * immediately if it already has. A deadline that passes runs nothing: callers bound their waits
     * by {@link #remainingNanos}.
     */
    public void onCancel(Runnable action) {
        var _ = left.thenRun(action);
    }

    /**
     * The same result, or DEADLINE_EXCEEDED as soon as the client disconnects or the deadline
     * passes. The awaited work itself continues.
     */
    public <T> CompletableFuture<T> limit(CompletableFuture<T> awaited) {
        if (awaited.isDone()) {
            return awaited;
        }
        CompletableFuture<T> limited = awaited.copy();
        onCancel(() -> limited.completeExceptionally(cancelled()));
        return limited.orTimeout(Math.max(0, remainingNanos()), TimeUnit.NANOSECONDS)
                .exceptionallyCompose(
                        failure ->
                                CompletableFuture.failedFuture(
                                        failure instanceof TimeoutException ? passed() : failure));
    }

    /** Time until the deadline; zero or less once it has passed. */
    public long remainingNanos() {
        return deadlineNanos - System.nanoTime();
    }

    /** DEADLINE_EXCEEDED if the client disconnected or the deadline passed. */
    public void check() {
        PetrichorException reason = reasonToStop();
        if (reason != null) {
            throw reason;
        }
    }

    /** DEADLINE_EXCEEDED if the client disconnected or the deadline passed, otherwise null. */
    public @Nullable PetrichorException reasonToStop() {
        if (isCancelled()) {
            return cancelled();
        }
        return remainingNanos() <= 0 ? passed() : null;
    }

    private static PetrichorException cancelled() {
        return PetrichorException.of(
                ErrorCode.DEADLINE_EXCEEDED,
                "the client cancelled the request; the server stopped working on it");
    }

    private static PetrichorException passed() {
        return PetrichorException.of(
                ErrorCode.DEADLINE_EXCEEDED,
                "the request's deadline passed before it was answered; nothing was changed."
                        + " Request less at once, or allow more time");
    }

    /** Runs work on this thread as part of the request. */
    public void run(Runnable work) {
        ScopedValue.where(CURRENT, this).run(work);
    }

    /** Runs work on this thread as part of the request, and returns its result. */
    public <T> T call(Callable<T> work) throws Exception {
        return ScopedValue.where(CURRENT, this).call(work::call);
    }
}
