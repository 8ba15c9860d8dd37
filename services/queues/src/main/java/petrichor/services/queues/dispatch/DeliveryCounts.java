package petrichor.services.queues.dispatch;

/**
 * Deliveries of a process since it started.
 *
 * @param running now
 */
public record DeliveryCounts(int running, long succeeded, long failed) {}
