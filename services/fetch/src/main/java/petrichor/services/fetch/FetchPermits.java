package petrichor.services.fetch;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Bounds the fetches that run at once, per app and in total. Thread-safe. */
final class FetchPermits {
    private final FetchLimits limits;
    private final Semaphore all;
    private final ConcurrentHashMap<String, App> apps = new ConcurrentHashMap<>();

    FetchPermits(FetchLimits limits) {
        this.limits = limits;
        this.all = new Semaphore(limits.fetchesMax(), true);
    }

    /**
     * @param holders threads that have or want a permit; the app is forgotten with the last
     */
    private record App(Semaphore permits, int holders) {
        App with(int more) {
            return new App(permits, holders + more);
        }
    }

    /** Waits for a permit; false if the time passes before there is one. */
    boolean acquire(String app, Duration timeout) throws InterruptedException {
        long until = System.nanoTime() + timeout.toNanos();
        Semaphore own = enter(app);
        boolean acquired = false;
        try {
            if (own.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                acquired = all.tryAcquire(until - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (!acquired) {
                    own.release();
                }
            }
            return acquired;
        } finally {
            if (!acquired) {
                leave(app);
            }
        }
    }

    void release(String app) {
        all.release();
        App one = apps.get(app);
        if (one != null) {
            one.permits().release();
        }
        leave(app);
    }

    private Semaphore enter(String app) {
        App entered =
                apps.compute(
                        app,
                        (_, before) ->
                                before == null
                                        ? new App(new Semaphore(limits.fetchesPerAppMax(), true), 1)
                                        : before.with(1));
        return entered.permits();
    }

    private void leave(String app) {
        apps.computeIfPresent(app, (_, before) -> before.holders() == 1 ? null : before.with(-1));
    }

    int running() {
        return limits.fetchesMax() - all.availablePermits();
    }
}
