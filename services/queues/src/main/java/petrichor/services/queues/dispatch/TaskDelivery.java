package petrichor.services.queues.dispatch;

import java.util.concurrent.CompletableFuture;

/** Delivers tasks to apps. Thread-safe. */
public interface TaskDelivery {
    /**
     * Starts a delivery and does not block. Completes by the deadline of the task, on any thread; a
     * failure counts as {@link DeliveryResult.Unanswered}.
     */
    CompletableFuture<DeliveryResult> deliver(Delivery delivery);

    /**
     * Whether the app of this project can be reached; otherwise tasks for it stay in their queues.
     * Tasks for other servers do not depend on it.
     */
    default boolean ready(String project) {
        return true;
    }

    /** Whether deliveries can start now; otherwise all tasks stay in their queues. */
    default boolean accepting() {
        return true;
    }

    /**
     * This server no longer dispatches the tasks of a project. Results of its deliveries are not
     * needed, and those that have not started need not start.
     */
    default void abandon(String project) {}
}
