package petrichor.kv.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Retry policy for transactions that the server rolled back: exponential backoff with jitter, for
 * as long as one response may take. Otherwise writers of the same row on two nodes of a cluster
 * would conflict again and again, and the one on the slower node would always lose.
 */
final class TransactionRetries {
    private static final long FIRST_NANOS_MAX = 1_000_000;
    private static final long NANOS_MAX = 50_000_000;

    private final long start = System.nanoTime();
    private final long timeoutNanos;
    private long boundNanos = FIRST_NANOS_MAX;

    TransactionRetries(Duration timeout) {
        this.timeoutNanos = timeout.toNanos();
    }

    /** Waits until the next attempt; false when the time is over. */
    boolean next() {
        if (isOver() || Thread.currentThread().isInterrupted()) {
            return false;
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(boundNanos));
        boundNanos = Math.min(2 * boundNanos, NANOS_MAX);
        return true;
    }

    boolean isOver() {
        return System.nanoTime() - start >= timeoutNanos;
    }
}
