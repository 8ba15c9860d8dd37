package petrichor.services.queues;

import java.time.Duration;

/**
 * Limits of the service; the defaults are those of App Engine.
 *
 * @param pushBytesMax body, URL and headers of a task in a push queue
 * @param pullBytesMax payload of a task in a pull queue
 * @param tasksPerCallMax tasks that one call adds, deletes or leases
 * @param queuesMax queues of a project
 * @param delayMax how far in the future an ETA may be
 * @param tombstone how long the name of a finished or deleted task cannot be used again
 * @param quotas of projects
 */
public record QueueLimits(
        int pushBytesMax,
        int pullBytesMax,
        int tasksPerCallMax,
        int queuesMax,
        Duration delayMax,
        Duration tombstone,
        TaskQuotas quotas) {
    public static final QueueLimits DEFAULT =
            new QueueLimits(
                    100 << 10,
                    1 << 20,
                    1_000,
                    1_000,
                    Duration.ofDays(30),
                    Duration.ofDays(9),
                    TaskQuotas.NONE);

    /** Deliveries without a deadline of their own. */
    public static final Duration DEADLINE = Duration.ofMinutes(10);

    public static final Duration DEADLINE_MIN = Duration.ofSeconds(15);
    public static final Duration DEADLINE_MAX = Duration.ofHours(24);

    public static final Duration LEASE_MAX = Duration.ofDays(7);

    public static final int TAG_BYTES_MAX = 500;
    public static final int URL_CHARACTERS_MAX = 2_083;

    public QueueLimits withTombstone(Duration other) {
        return new QueueLimits(
                pushBytesMax, pullBytesMax, tasksPerCallMax, queuesMax, delayMax, other, quotas);
    }

    public QueueLimits withQuotas(TaskQuotas other) {
        return new QueueLimits(
                pushBytesMax, pullBytesMax, tasksPerCallMax, queuesMax, delayMax, tombstone, other);
    }
}
