package petrichor.transactions.databases;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import petrichor.base.TimeSource;

/**
 * Access of a store claim to the process around it.
 *
 * @param pause waits for the given time
 * @param dead whether a process named in a heartbeat is known to have ended; false if that cannot
 *     be determined here
 * @param notice receives messages for the operator while a start takes time
 */
public record ClaimContext(
        TimeSource time,
        Consumer<Duration> pause,
        Predicate<String> dead,
        Consumer<String> notice) {

    public static ClaimContext system(Predicate<String> dead, Consumer<String> notice) {
        return new ClaimContext(
                TimeSource.SYSTEM,
                duration -> LockSupport.parkNanos(duration.toNanos()),
                dead,
                notice);
    }
}
