package petrichor.services.queues;

/** Who takes tasks out of a queue. */
public enum QueueMode {
    /** The dispatcher sends each task to the app as an HTTP request. */
    PUSH,
    /** Workers lease tasks and delete them when they are done. */
    PULL
}
