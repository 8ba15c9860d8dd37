package petrichor.services.queues.dispatch;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import petrichor.services.queues.TaskWork;

/**
 * Sends requests of tasks whose URL is absolute. Refuses addresses that apps may not reach, such as
 * those of the platform. Thread-safe.
 */
@FunctionalInterface
public interface OtherServers {
    /**
     * Starts a request and does not block. Completes by the deadline, on any thread. Does not
     * follow redirects.
     *
     * @param headers instead of those of the request
     */
    CompletableFuture<DeliveryResult> send(
            String project, TaskWork.Push request, Map<String, String> headers, Duration deadline);
}
