package petrichor.apps.router;

import java.time.Duration;
import petrichor.apps.router.files.FileLimits;
import petrichor.apps.router.http.MessageLimits;
import petrichor.base.PetrichorException;

/**
 * All limits of the router.
 *
 * @param files of static files
 */
public record RouterLimits(
        MessageLimits requests,
        MessageLimits responses,
        Connections connections,
        Concurrency concurrency,
        Instances instances,
        FileLimits files) {
    public static final RouterLimits DEFAULT =
            new RouterLimits(
                    MessageLimits.REQUESTS,
                    MessageLimits.RESPONSES,
                    Connections.DEFAULT,
                    Concurrency.DEFAULT,
                    Instances.DEFAULT,
                    FileLimits.DEFAULT);

    /**
     * Connections of clients.
     *
     * @param connectionsMax in total; further ones are closed at once
     * @param requestsMax per connection; the response to the last one closes it
     * @param streamsMax concurrent requests of an HTTP/2 connection
     * @param idleMax between requests, and until the header of the next request is complete
     * @param stallMax while the router waits for bytes of a request, or for the client to read
     * @param bufferBytes per direction of a request, until the sender has to wait
     */
    public record Connections(
            int connectionsMax,
            int requestsMax,
            int streamsMax,
            Duration idleMax,
            Duration stallMax,
            int bufferBytes) {
        public static final Connections DEFAULT =
                new Connections(
                        20_000,
                        10_000,
                        100,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        64 << 10);

        public Connections {
            requirePositive(connectionsMax, requestsMax, streamsMax, bufferBytes);
            requirePositive(idleMax, stallMax);
        }
    }

    /**
     * Concurrent requests. An app may have as many requests as there are free places: one busy app
     * gets at most half of them, two get a third each, and the others always find some.
     *
     * @param requestsMax in total
     * @param requestsPerAppMax of one app
     */
    public record Concurrency(int requestsMax, int requestsPerAppMax) {
        public static final Concurrency DEFAULT = new Concurrency(4_000, 2_000);

        public Concurrency {
            requirePositive(requestsMax, requestsPerAppMax);
        }
    }

    /**
     * Connections to instances.
     *
     * @param connectWithin after which an instance is unreachable
     * @param idleMax less than the servers of apps keep a connection, so that a request rarely
     *     meets a connection that is just being closed; gunicorn closes after 2 seconds
     * @param idleConnectionsMax per instance and event loop
     * @param replayBytesMax of a request's body, kept until there is a response, for a retry
     */
    public record Instances(
            Duration connectWithin, Duration idleMax, int idleConnectionsMax, int replayBytesMax) {
        public static final Instances DEFAULT =
                new Instances(Duration.ofSeconds(3), Duration.ofMillis(1500), 64, 64 << 10);

        public Instances {
            requirePositive(idleConnectionsMax, replayBytesMax);
            requirePositive(connectWithin, idleMax);
        }
    }

    private static void requirePositive(int... limits) {
        for (int limit : limits) {
            if (limit <= 0) {
                throw PetrichorException.invalid("all limits of the router must be positive");
            }
        }
    }

    private static void requirePositive(Duration... limits) {
        for (Duration limit : limits) {
            if (!limit.isPositive()) {
                throw PetrichorException.invalid("all timeouts of the router must be positive");
            }
        }
    }
}
