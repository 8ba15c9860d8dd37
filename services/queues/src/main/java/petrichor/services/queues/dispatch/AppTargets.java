package petrichor.services.queues.dispatch;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** The apps that receive tasks. Thread-safe. */
public interface AppTargets {
    /**
     * The base URL of an app; empty if it cannot be reached now.
     *
     * @param target a service, or version.service; empty for the default
     */
    Optional<URI> app(String project, String target);

    /**
     * Issues a ticket, with which the app may call APIs while it handles a request.
     *
     * @param deadline of the request
     */
    Ticket ticket(String project, Duration deadline);

    /** A ticket; closed when the app has answered. */
    interface Ticket extends AutoCloseable {
        /** The value of the header {@code X-Appengine-Api-Ticket}. */
        String value();

        @Override
        void close();
    }
}
