package petrichor.apps.router;

import java.util.concurrent.CompletableFuture;

/**
 * Knows the users of requests by their cookies. Called by event loops: must not block. Thread-safe.
 */
public interface Visitors {
    /**
     * The user of a request. It is asked for each request to an instance, and for each one to a
     * handler with a login, so a request without a cookie should complete at once.
     */
    CompletableFuture<Visitor> visitor(RequestView request);

    /** Where a user signs in and returns to the request's URL. */
    String loginUrl(RequestView request);

    /** Users are unknown: a handler with a login refuses all requests. */
    static Visitors none() {
        return new Visitors() {
            @Override
            public CompletableFuture<Visitor> visitor(RequestView request) {
                return CompletableFuture.completedFuture(new Visitor.Anonymous());
            }

            @Override
            public String loginUrl(RequestView request) {
                return "";
            }
        };
    }
}
