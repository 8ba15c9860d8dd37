package petrichor.kv.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * When a transaction is sent again that the server took back: after a random wait whose bound
 * doubles, for as long as one answer may take. Writers of the same row on two nodes of a cluster
 * would otherwise meet again and again, and the one whose node is slower would always lose.
 */
final class Repeats {
    private static final long FIRST_NANOS_MAX = 1_000_000;
    private static final long NANOS_MAX = 50_000_000;

    private final long start = System.nanoTime();
    private final long timeoutNanos;
    private long boundNanos = FIRST_NANOS_MAX;

    Repeats(Duration timeout) {
        this.timeoutNanos = timeout.toNanos();
    }

    /** Waits until it may be sent again; false when the time is over. */
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
