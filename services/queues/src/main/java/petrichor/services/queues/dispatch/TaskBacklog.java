package petrichor.services.queues.dispatch;

/**
 * Due tasks of a queue that wait.
 *
 * @param target where the app's last task of the queue went: a service, or version.service; empty
 *     for the default. All of them are assumed to go there, because reading each one would cost as
 *     much as delivering it
 */
record TaskBacklog(String target, int tasks) {
    static final TaskBacklog NONE = new TaskBacklog("", 0);
}
