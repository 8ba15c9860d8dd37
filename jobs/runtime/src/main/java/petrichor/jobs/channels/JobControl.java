package petrichor.jobs.channels;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Ends a job early: keeps the first failure (or the cancellation) and wakes whoever waits. Safe for
 * all threads.
 */
public final class JobControl {
    private final AtomicReference<@Nullable Throwable> end = new AtomicReference<>();
    private final List<Runnable> wakers = new ArrayList<>();

    /** Ends the job for this reason, unless it has one. */
    public void stop(Throwable reason) {
        if (end.compareAndSet(null, reason)) {
            List<Runnable> all;
            synchronized (wakers) {
                all = List.copyOf(wakers);
            }
            all.forEach(Runnable::run);
        }
    }

    /** To be run when the job is stopped; wakes waiting threads, which then look here. */
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

    /** Called often by every task. */
    public void check() {
        if (end.get() != null) {
            throw new Stopped();
        }
    }

    /** Unwinds a task of a job that has ended elsewhere. Not a failure of this task. */
    public static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public Stopped() {
            super("the job was stopped", null, false, false);
        }
    }
}
