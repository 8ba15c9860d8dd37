package petrichor.services.queues.dispatch;

import java.util.concurrent.CompletableFuture;

/** Delivers tasks to apps. Thread-safe. */
public interface TaskDelivery {
    /**
     * Starts a delivery and does not block. Completes by the deadline of the task, on any thread; a
     * failure counts as {@link DeliveryResult.Unanswered}.
     */
    CompletableFuture<DeliveryResult> deliver(Delivery delivery);

    /** Whether tasks of this project can be delivered; otherwise they stay in their queues. */
    default boolean ready(String project) {
        return true;
    }
}
