package petrichor.apps.instances;

import java.time.Duration;
import java.util.random.RandomGenerator;
import petrichor.base.PetrichorException;

/**
 * Exponential back-off between restarts of an instance that fails. Pure: the caller keeps the
 * number of failures, and brings clock and random numbers.
 *
 * @param first delay after the first failure
 * @param max longest delay, before jitter
 * @param jitter share of the delay that is random, from 0 to 1, so that instances that failed
 *     together do not start together
 * @param healthyAfter an instance that was ready for this long starts a new series of failures
 */
public record RestartPolicy(Duration first, Duration max, double jitter, Duration healthyAfter) {
    public static final RestartPolicy DEFAULT =
            new RestartPolicy(
                    Duration.ofSeconds(1), Duration.ofMinutes(5), 0.2, Duration.ofMinutes(1));

    /** Doubling the delay more often than this would overflow. */
    private static final int DOUBLINGS_MAX = 30;

    /**
     * @param failures in this series, including the last one
     * @param delay until the next start
     */
    public record Restart(int failures, Duration delay) {}

    public RestartPolicy {
        if (first.isNegative() || first.isZero() || max.compareTo(first) < 0) {
            throw PetrichorException.invalid(
                    "the delays of restarts, {first} to {max}, are not positive or not ascending",
                    "first",
                    first,
                    "max",
                    max);
        }
        if (!(jitter >= 0 && jitter <= 1) || healthyAfter.isNegative()) {
            throw PetrichorException.invalid(
                    "the jitter {jitter} of restarts is not between 0 and 1, or their healthy"
                            + " period is negative",
                    "jitter",
                    jitter);
        }
    }

    /**
     * @param failuresBefore of this series: 0, or {@link Restart#failures} of the previous restart
     * @param readyFor how long the instance was ready; zero if it never was
     */
    public Restart afterFailure(int failuresBefore, Duration readyFor, RandomGenerator random) {
        boolean recovered = readyFor.compareTo(healthyAfter) >= 0;
        int failures = recovered ? 1 : Math.addExact(failuresBefore, 1);
        int doublings = Math.min(failures - 1, DOUBLINGS_MAX);
        double millis =
                Math.min(
                        (double) first.toMillis() * (double) (1L << doublings),
                        (double) max.toMillis());
        double factor = 1 - jitter / 2 + jitter * random.nextDouble();
        return new Restart(failures, Duration.ofMillis(Math.round(millis * factor)));
    }
}
