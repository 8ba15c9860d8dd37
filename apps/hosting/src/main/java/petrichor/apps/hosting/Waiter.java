package petrichor.apps.hosting;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.apps.router.Backends.Acquisition;

/**
 * A request that waits for an instance.
 *
 * @param sinceNanos when it arrived
 */
record Waiter(CompletableFuture<Acquisition> future, Backends.Wanted wanted, long sinceNanos) {
    static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    /** After so long, an instance or server that has failed may have recovered. */
    private static final Duration AVOIDS_WITHIN = Duration.ofSeconds(1);

    /** What it wants now. */
    Backends.Wanted wantedAt(long nowNanos) {
        return nowNanos - sinceNanos < AVOIDS_WITHIN.toNanos()
                ? wanted
                : new Backends.Wanted(
                        wanted.version(),
                        wanted.instance(),
                        java.util.Optional.empty(),
                        wanted.within(),
                        wanted.reach());
    }

    void fail(String reason) {
        var _ = future.complete(new Backends.Unavailable(reason, RETRY_AFTER));
    }

    static String gone(Backends.Wanted wanted) {
        return "there is no instance " + wanted.instance().orElse("");
    }

    /** The answer to a request that another server gets. */
    static CompletableFuture<Acquisition> found(Backend server) {
        return CompletableFuture.completedFuture(new Backends.Acquired(server));
    }

    /** The answer to a request that does not wait. */
    static CompletableFuture<Acquisition> refused(String reason) {
        return CompletableFuture.completedFuture(new Backends.Unavailable(reason, RETRY_AFTER));
    }
}
