package petrichor.services.queues;

/** What happened to a task that was to be added. */
public sealed interface AddResult {
    /** The task is in the queue, under its own or a random name. */
    record Added(Task task) implements AddResult {}

    /** The queue has a task of this name. */
    record AlreadyExists(String name) implements AddResult {}

    /** The queue had a task of this name until recently. */
    record Tombstoned(String name) implements AddResult {}
}
