package petrichor.services.queues;

import java.time.Duration;
import java.util.Optional;

/**
 * A task to be added.
 *
 * @param name empty for a random name
 * @param etaMicros earliest time of execution, microseconds since 1970. A time in the past means
 *     now; a pull task keeps it, as its place in the order of leases, unless it is 0
 * @param retry instead of the policy of the queue
 * @param deadline of one delivery
 */
public record NewTask(
        String name,
        long etaMicros,
        TaskWork work,
        Optional<RetryPolicy> retry,
        Duration deadline) {
    public static NewTask of(TaskWork work) {
        return new NewTask("", 0, work, Optional.empty(), QueueLimits.DEADLINE);
    }

    public NewTask named(String other) {
        return new NewTask(other, etaMicros, work, retry, deadline);
    }

    public NewTask at(long micros) {
        return new NewTask(name, micros, work, retry, deadline);
    }

    public NewTask withRetry(RetryPolicy other) {
        return new NewTask(name, etaMicros, work, Optional.of(other), deadline);
    }
}
