package petrichor.services.queues;

/**
 * What a project does with its queues, as this server knows it.
 *
 * @param addedLastMinute tasks that were added in the last 60 seconds
 * @param refusedAdds tasks over the quota of tasks per minute
 * @param refusedWaiting tasks over the quota of tasks in queues
 */
public record TaskUse(long addedLastMinute, long refusedAdds, long refusedWaiting) {
    public static final TaskUse NONE = new TaskUse(0, 0, 0);
}
