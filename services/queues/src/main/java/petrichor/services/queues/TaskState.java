package petrichor.services.queues;

/**
 * Where a task stands.
 *
 * @param etaMicros when it runs next, or when its lease ends; microseconds since 1970
 * @param attempts so far
 * @param named whether the app chose its name
 * @param tag of a task in a pull queue; empty for none
 */
@SuppressWarnings("ArrayRecordComponent") // shared and never compared
public record TaskState(long etaMicros, Attempts attempts, boolean named, byte[] tag) {
    /**
     * Attempts to execute a task.
     *
     * @param retries failed attempts, or leases
     * @param executions failed attempts that the app answered
     * @param firstMicros microseconds since 1970; 0 before the first attempt
     * @param lastMicros microseconds since 1970; 0 before the first attempt ended
     * @param lastStatus HTTP status of the last attempt; 0 if there was no answer
     */
    public record Attempts(
            int retries, int executions, long firstMicros, long lastMicros, int lastStatus) {
        static final Attempts NONE = new Attempts(0, 0, 0, 0, 0);
    }

    TaskState at(long micros) {
        return new TaskState(micros, attempts, named, tag);
    }
}
