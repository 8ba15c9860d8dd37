package petrichor.jobs.jobgraph;

/** By what an edge carries its blocks from a subtask to another. */
public enum ChannelType {
    /** A queue inside one process: both subtasks run at the same time in the same process. */
    IN_MEMORY,
    /** TCP; becomes a queue where both subtasks happen to run in one process. */
    NETWORK,
    /**
     * A file: the consumer begins when the producer has ended. Such an edge ends an execution
     * stage, and what the file holds is where a failed stage is restarted from.
     */
    FILE
}
