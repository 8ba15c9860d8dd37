package petrichor.apps.hosting;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import petrichor.apps.router.Backends;
import petrichor.apps.router.Backends.Acquisition;

/**
 * A request that waits for an instance.
 *
 * @param sinceNanos when it arrived
 */
record Waiter(CompletableFuture<Acquisition> future, Backends.Wanted wanted, long sinceNanos) {
    static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    void fail(String reason) {
        var _ = future.complete(new Backends.Unavailable(reason, RETRY_AFTER));
    }

    static String gone(Backends.Wanted wanted) {
        return "there is no instance " + wanted.instance().orElse("");
    }

    /** The answer to a request that does not wait. */
    static CompletableFuture<Acquisition> refused(String reason) {
        return CompletableFuture.completedFuture(new Backends.Unavailable(reason, RETRY_AFTER));
    }
}
