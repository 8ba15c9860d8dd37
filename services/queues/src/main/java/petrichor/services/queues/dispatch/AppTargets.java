package petrichor.services.queues.dispatch;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The apps that receive tasks. Thread-safe; does not block. */
public interface AppTargets {
    /** Whether the app has an address for requests, or a deployed version. */
    boolean reaches(String project);

    /**
     * Acquires a place for one request, for which an instance may have to start. Completes empty if
     * the app cannot be reached within the deadline.
     *
     * @param target a service, or version.service; empty for the default
     * @param deadline of the request
     */
    CompletableFuture<Optional<Place>> acquire(String project, String target, Duration deadline);

    /** How long a request to the app may take: as long as its task allows, or as its operator. */
    default Duration longest(String project, Duration deadline) {
        return deadline;
    }

    /** Where one request goes; closed when the app has answered. */
    interface Place extends AutoCloseable {
        URI base();

        /**
         * The value of the header {@code X-Appengine-Api-Ticket}, with which the app may call APIs
         * while it handles the request.
         */
        String ticket();

        /** Further headers that the request must have. */
        default Map<String, String> headers() {
            return Map.of();
        }

        @Override
        void close();
    }
}
