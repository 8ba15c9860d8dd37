package petrichor.server.metrics;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Reads a row of a store once per second, so that readiness and metrics reflect whether the store
 * responds, even without requests from clients. The reading thread may block as long as the store's
 * driver does; callers of {@link #problem} never wait.
 *
 * <p>A store has a problem if it has completed no request for {@link #SILENCE_MAX} and the probe
 * has failed {@value #FAILURES_OF_A_PROBLEM} times in a row or has waited for that long. A store
 * that answers requests, but is too busy for the probe, has no problem: taking its servers out of
 * service would only move the load.
 */
final class StoreProbe implements AutoCloseable {
    static final Duration EVERY = Duration.ofSeconds(1);
    static final Duration SILENCE_MAX = Duration.ofSeconds(3);
    static final int FAILURES_OF_A_PROBLEM = 2;

    private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

    /** A table that every database uses. If it does not exist, that answer is sufficient. */
    private static final String TABLE = "rows";

    /** Shorter than the key of any row. */
    private static final byte[] KEY = {0};

    private final MeteredStore store;
    private final Thread thread;

    /** Time of the first request since the last answer; null after an answer. */
    private volatile @Nullable Long unansweredSinceNanos;

    private final AtomicInteger failures = new AtomicInteger();
    private volatile String failure = "";
    private volatile boolean closed;

    StoreProbe(MeteredStore store) {
        this.store = store;
        this.thread =
                Thread.ofPlatform().daemon().name("store-probe " + store.name()).start(this::run);
    }

    private void run() {
        while (!closed) {
            ask();
            LockSupport.parkNanos(this, EVERY.toNanos());
        }
    }

    private void ask() {
        if (unansweredSinceNanos == null) {
            unansweredSinceNanos = System.nanoTime();
        }
        try {
            boolean _ = store.meter().measure(StoreOperation.PROBE, this::answers);
            failures.set(0);
            unansweredSinceNanos = null;
        } catch (RuntimeException failed) {
            failure = String.valueOf(failed.getMessage());
            failures.incrementAndGet();
        }
    }

    private boolean answers() {
        try {
            return store.unmetered().get(TABLE, KEY) == null;
        } catch (PetrichorException failed) {
            if (failed.code() == ErrorCode.NOT_FOUND) {
                return true;
            }
            throw failed;
        }
    }

    /** The reason why the store cannot be used; empty if it can. */
    Optional<String> problem() {
        Duration silence = store.meter().silence();
        if (silence.compareTo(SILENCE_MAX) < 0) {
            return Optional.empty();
        }
        if (failures.get() >= FAILURES_OF_A_PROBLEM) {
            return Optional.of(failure);
        }
        Long since = unansweredSinceNanos;
        if (since != null && System.nanoTime() - since > SILENCE_MAX.toNanos()) {
            return Optional.of(
                    "the store "
                            + store.name()
                            + " ("
                            + store.scheme()
                            + ") has not answered a read for "
                            + silence.toMillis()
                            + " ms");
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            // The thread may be blocked in a driver; closing the store ends that.
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_MAX.toSeconds()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
