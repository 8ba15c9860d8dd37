package petrichor.services.queues;

/** What happened to a lease that was to be changed. */
public sealed interface LeaseResult {
    /**
     * The lease ends at another time.
     *
     * @param etaMicros its new end, microseconds since 1970
     */
    record Changed(long etaMicros) implements LeaseResult {}

    /** The lease has ended, or another worker holds the task. */
    record Expired() implements LeaseResult {}

    /** The queue has no task of this name. */
    record Unknown() implements LeaseResult {}
}
