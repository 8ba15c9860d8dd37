package petrichor.services.queues;

/** What happened to a task that was to be deleted. */
public enum DeleteResult {
    DELETED,
    /** The queue has no task of this name. */
    UNKNOWN,
    /** The task was finished or deleted before. */
    TOMBSTONED
}
