package petrichor.services.queues.dispatch;

import petrichor.services.queues.Queue;
import petrichor.services.queues.Task;

/** A task on its way to an app. */
public record Delivery(String project, Queue queue, Task task) {}
