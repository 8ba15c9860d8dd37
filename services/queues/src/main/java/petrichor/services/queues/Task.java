package petrichor.services.queues;

import java.time.Duration;
import java.util.Optional;

/** A task of a queue. */
public record Task(String name, Content content, TaskState state) {
    /**
     * What does not change while the task exists.
     *
     * @param createdMicros microseconds since 1970
     * @param retry instead of the policy of the queue
     * @param deadline of one delivery
     */
    public record Content(
            TaskWork work, long createdMicros, Optional<RetryPolicy> retry, Duration deadline) {}

    public TaskWork work() {
        return content.work();
    }
}
