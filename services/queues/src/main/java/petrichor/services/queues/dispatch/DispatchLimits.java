package petrichor.services.queues.dispatch;

import java.time.Duration;

/**
 * Limits of the dispatchers of a process.
 *
 * @param deliveriesMax deliveries at one time, of all projects
 * @param windowTasks tasks that a queue's window holds; about 150 bytes each
 * @param unsettledMax deliveries of a queue that ended and whose outcome is not yet durable; no
 *     further ones start until it is
 * @param settledPerCommit outcomes that one commit writes
 * @param watchPeriod between checks for projects and owners
 * @param rescanPeriod between complete scans of a queue, in case a hint was lost
 */
public record DispatchLimits(
        int deliveriesMax,
        int windowTasks,
        int unsettledMax,
        int settledPerCommit,
        Duration watchPeriod,
        Duration rescanPeriod) {
    public static final DispatchLimits DEFAULT =
            new DispatchLimits(
                    500, 1_000, 2_000, 200, Duration.ofSeconds(5), Duration.ofMinutes(1));

    public DispatchLimits withDeliveriesMax(int other) {
        return new DispatchLimits(
                other, windowTasks, unsettledMax, settledPerCommit, watchPeriod, rescanPeriod);
    }
}
