package petrichor.services.queues.rabbitmq;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;

/**
 * The owners of projects, which know the tasks of notices. Calls do not block, and complete on any
 * thread; they fail if the owner cannot be reached. Thread-safe.
 */
public interface TaskOwners {
    /** Claims a task to deliver it; empty if the notice is out of date, and is to be dropped. */
    CompletableFuture<Optional<Delivery>> claim(TaskNotice notice);

    /** Reports the result of a delivery; ignored by an owner that does not wait for it. */
    CompletableFuture<Void> ended(String project, String delivery, DeliveryResult result);
}
