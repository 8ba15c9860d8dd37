package petrichor.transactions.databases;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import petrichor.base.TimeSource;

/**
 * What a claim on a store needs of the process around it.
 *
 * @param pause waits for so long
 * @param dead whether a process that a heartbeat names has surely ended; false if that cannot be
 *     known here
 * @param notice takes what an operator should know while a start takes time
 */
public record StoreSurroundings(
        TimeSource time,
        Consumer<Duration> pause,
        Predicate<String> dead,
        Consumer<String> notice) {

    public static StoreSurroundings system(Predicate<String> dead, Consumer<String> notice) {
        return new StoreSurroundings(
                TimeSource.SYSTEM,
                duration -> LockSupport.parkNanos(duration.toNanos()),
                dead,
                notice);
    }
}
