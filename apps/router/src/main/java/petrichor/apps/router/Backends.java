package petrichor.apps.router;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import petrichor.apps.router.table.VersionName;

/**
 * Provides instances for requests. The router acquires an instance, uses it for one request at a
 * time and releases it exactly once per acquisition. Called by event loops, so no method may block.
 */
public interface Backends {
    /**
     * Acquires an instance, which may be an instance that first has to start. The router cancels
     * the future when the client has disconnected or the time is over; the instance of a future
     * that was cancelled before it completed ({@link CompletableFuture#complete} returned false) is
     * not acquired.
     */
    CompletableFuture<Acquisition> acquire(Wanted wanted);

    /** Whether the server that a request was forwarded to has failed. */
    default boolean isLost(Backend backend) {
        return false;
    }

    /** Ends the use of an instance. */
    void release(Backend backend, Use use);

    /**
     * What a request needs.
     *
     * @param instance the only one that may answer
     * @param avoided an instance, or a server, that has just failed; another one is better, if
     *     there is one
     * @param within how long the request waits
     * @param reach where the instance may be
     */
    record Wanted(
            VersionName version,
            Optional<String> instance,
            Optional<String> avoided,
            Duration within,
            Reach reach) {
        /** On any server. */
        public Wanted(
                VersionName version,
                Optional<String> instance,
                Optional<String> avoided,
                Duration within) {
            this(version, instance, avoided, within, Reach.CLUSTER);
        }
    }

    /** Where an instance may be. */
    enum Reach {
        CLUSTER,
        /** On this server: another one has forwarded the request. */
        SERVER
    }

    /** The result of a wait for an instance. */
    sealed interface Acquisition permits Acquired, Unavailable {}

    /** An instance that serves this request. */
    record Acquired(Backend backend) implements Acquisition {}

    /**
     * No instance can serve the request.
     *
     * @param reason for the client, such as that the version is stopped
     * @param retryAfter when a new attempt may succeed
     */
    record Unavailable(String reason, Duration retryAfter) implements Acquisition {}

    /** How the use of an instance ended. */
    enum Use {
        /** With a complete response. */
        ANSWERED,
        /** The client disconnected or broke a limit; the instance is not at fault. */
        ABANDONED,
        /** The connection was refused, or lost before a response. */
        UNREACHABLE,
        /** The response was malformed or ended early. */
        BROKEN,
        /** No complete response in time. */
        TIMED_OUT
    }
}
