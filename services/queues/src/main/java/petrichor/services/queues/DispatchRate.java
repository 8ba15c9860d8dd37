package petrichor.services.queues;

import petrichor.base.PetrichorException;

/**
 * How fast tasks of a push queue are dispatched: a token bucket, and a bound on concurrency.
 *
 * @param tokensPerSecond tasks per second in the long run; 0 dispatches nothing
 * @param bucketSize tasks that may be dispatched at once after a pause
 * @param concurrentMax requests to the app at one time
 */
public record DispatchRate(double tokensPerSecond, int bucketSize, int concurrentMax) {
    public static final double TOKENS_PER_SECOND_MAX = 100_000;
    public static final int BUCKET_SIZE_MAX = 100_000;
    public static final int CONCURRENT_MAX = 5_000;

    /** App Engine's values for a queue without settings. */
    public static final DispatchRate DEFAULT = new DispatchRate(5, 5, 1_000);

    public DispatchRate {
        if (!(tokensPerSecond >= 0 && tokensPerSecond <= TOKENS_PER_SECOND_MAX)) {
            throw PetrichorException.invalid(
                    "The rate of a queue must be 0 to {max} tasks per second, not {rate}.",
                    "max",
                    TOKENS_PER_SECOND_MAX,
                    "rate",
                    tokensPerSecond);
        }
        requireBetween("bucket size", bucketSize, BUCKET_SIZE_MAX);
        requireBetween("maximum of concurrent requests", concurrentMax, CONCURRENT_MAX);
    }

    private static void requireBetween(String what, int value, int max) {
        if (value < 1 || value > max) {
            throw PetrichorException.invalid(
                    "The {what} of a queue must be 1 to {max}, not {value}.",
                    "what",
                    what,
                    "max",
                    max,
                    "value",
                    value);
        }
    }
}
