package petrichor.services.queues;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import petrichor.base.PetrichorException;

/**
 * When a failed task runs again. App Engine's rule: the pause doubles {@code doublingsMax} times,
 * then grows linearly, up to {@code backoffMax}. With both limits, a task is retried until both are
 * exceeded.
 *
 * @param retriesMax empty for no limit
 * @param ageMax since the first attempt; empty for no limit
 */
public record RetryPolicy(
        OptionalInt retriesMax,
        Optional<Duration> ageMax,
        Duration backoffMin,
        Duration backoffMax,
        int doublingsMax) {
    /** App Engine's values for a queue without settings. */
    public static final RetryPolicy DEFAULT =
            new RetryPolicy(
                    OptionalInt.empty(),
                    Optional.empty(),
                    Duration.ofMillis(100),
                    Duration.ofHours(1),
                    16);

    /** Larger exponents exceed every back-off. */
    private static final int EXPONENT_MAX = 62;

    public RetryPolicy {
        if (retriesMax.isPresent() && retriesMax.getAsInt() < 0) {
            throw PetrichorException.invalid(
                    "The limit of retries must not be negative: {value}.",
                    "value",
                    retriesMax.getAsInt());
        }
        if (ageMax.isPresent() && !ageMax.get().isPositive()) {
            throw PetrichorException.invalid(
                    "The limit of a task's age must be positive, not {value}.",
                    "value",
                    ageMax.get());
        }
        if (backoffMin.isNegative() || backoffMin.compareTo(backoffMax) > 0) {
            throw PetrichorException.invalid(
                    "The smallest back-off, {min}, must be 0 or more and at most the largest,"
                            + " {max}.",
                    "min",
                    backoffMin,
                    "max",
                    backoffMax);
        }
        if (doublingsMax < 0) {
            throw PetrichorException.invalid(
                    "The number of doublings must not be negative: {value}.",
                    "value",
                    doublingsMax);
        }
    }

    /**
     * Whether a task may be tried again.
     *
     * @param retry the number of this retry: 1 after the first attempt
     * @param age since the first attempt
     */
    public boolean allows(int retry, Duration age) {
        boolean withinRetries = retriesMax.isPresent() && retry <= retriesMax.getAsInt();
        boolean withinAge = ageMax.isPresent() && age.compareTo(ageMax.get()) <= 0;
        return withinRetries || withinAge || (retriesMax.isEmpty() && ageMax.isEmpty());
    }

    /**
     * Pause before a retry.
     *
     * @param retry the number of this retry: 1 after the first attempt
     */
    public Duration backoff(int retry) {
        int exponent = Math.max(0, Math.min(retry - 1, doublingsMax));
        int steps = Math.max(1, retry - exponent);
        double nanos =
                (double) backoffMin.toNanos()
                        * Math.scalb(1.0, Math.min(exponent, EXPONENT_MAX))
                        * steps;
        return nanos >= backoffMax.toNanos() ? backoffMax : Duration.ofNanos((long) nanos);
    }
}
