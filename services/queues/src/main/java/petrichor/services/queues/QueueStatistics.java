package petrichor.services.queues;

/**
 * Statistics of a queue.
 *
 * @param tasks at most 100,000 are counted
 * @param oldestEtaMicros 0 if the queue has no task
 */
public record QueueStatistics(int tasks, long oldestEtaMicros, Dispatch dispatch) {
    /**
     * Work of the dispatcher since it started on this server.
     *
     * @param executedLastMinute attempts that ended
     * @param enforcedRate tasks per second; 0 while the queue is paused
     */
    public record Dispatch(
            long executedLastMinute, long executedLastHour, int inFlight, double enforcedRate) {
        /** Of a queue that has no dispatcher. */
        public static final Dispatch NONE = new Dispatch(0, 0, 0, 0);
    }
}
