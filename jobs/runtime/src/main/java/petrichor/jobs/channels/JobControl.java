package petrichor.jobs.channels;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Ends a job early: keeps the first failure (or the cancellation) and wakes all waiting threads.
 * Safe for all threads.
 */
public final class JobControl {
    private final AtomicReference<@Nullable Throwable> end = new AtomicReference<>();
    private final List<Runnable> wakers = new ArrayList<>();

    /** Stops the job for this reason, unless it has been stopped before. */
    public void stop(Throwable reason) {
        if (end.compareAndSet(null, reason)) {
            List<Runnable> all;
            synchronized (wakers) {
                all = List.copyOf(wakers);
            }
            all.forEach(Runnable::run);
        }
    }

    /**
     * Registers an action that wakes waiting threads when the job is stopped; they then call {@link
     * #check}.
     */
    public void onStop(Runnable waker) {
        synchronized (wakers) {
            wakers.add(waker);
        }
    }

    public @Nullable Throwable reason() {
        return end.get();
    }

    public boolean stopped() {
        return end.get() != null;
    }

    /** Throws if the job was stopped. Every task calls it often. */
    public void check() {
        if (end.get() != null) {
            throw new Stopped();
        }
    }

    /** Unwinds a task whose job was stopped elsewhere. Not a failure of this task. */
    public static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public Stopped() {
            super("the job was stopped", null, false, false);
        }
    }
}
