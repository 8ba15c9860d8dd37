package petrichor.coordination.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls a condition for a bounded time. */
public final class Wait {
    private static final long POLL_NANOS = 1_000_000;

    private Wait() {}

    /** A new member grants all others another lease; afterwards only the lease itself counts. */
    public static void untilGraceIsOver(Duration lease) {
        long started = System.nanoTime();
        until(
                "two leases have passed",
                lease.multipliedBy(10),
                () -> System.nanoTime() - started > 2 * lease.toNanos());
    }

    public static void until(String what, Duration max, BooleanSupplier condition) {
        long end = System.nanoTime() + max.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + max + ": " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}
