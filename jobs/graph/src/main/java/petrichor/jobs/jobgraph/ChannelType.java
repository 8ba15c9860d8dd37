package petrichor.jobs.jobgraph;

/** How an edge transports blocks between subtasks. */
public enum ChannelType {
    /** A queue in memory: both subtasks run at the same time in the same process. */
    IN_MEMORY,
    /** TCP; becomes a queue where both subtasks happen to run in one process. */
    NETWORK,
    /**
     * A file (blocking exchange): the consumer starts when the producer has ended. Such an edge
     * ends an execution stage, and a failed stage restarts from the files before it.
     */
    FILE
}
