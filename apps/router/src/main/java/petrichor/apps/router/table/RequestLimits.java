package petrichor.apps.router.table;

import java.time.Duration;
import java.util.Optional;
import petrichor.base.PetrichorException;

/**
 * What an operator lets visitors of an app do, on this server.
 *
 * @param rate of requests; empty for any
 * @param longest request; empty for what its version allows
 */
public record RequestLimits(Optional<Rate> rate, Optional<Duration> longest) {
    public static final RequestLimits NONE = new RequestLimits(Optional.empty(), Optional.empty());

    /**
     * @param perMinute sustained
     * @param burst at once
     */
    public record Rate(long perMinute, long burst) {
        public Rate {
            if (perMinute < 1 || burst < 1) {
                throw PetrichorException.invalid("a rate of requests must be positive");
            }
        }
    }

    public RequestLimits {
        if (longest.isPresent() && !longest.get().isPositive()) {
            throw PetrichorException.invalid("the longest request must be positive");
        }
    }

    /** The shorter of both times for a request. */
    public VersionRoutes.Timeouts within(VersionRoutes.Timeouts timeouts) {
        return longest.filter(time -> time.compareTo(timeouts.request()) < 0)
                .map(time -> new VersionRoutes.Timeouts(time, timeouts.pending(), timeouts.idle()))
                .orElse(timeouts);
    }
}
