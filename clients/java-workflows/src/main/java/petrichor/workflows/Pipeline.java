package petrichor.workflows;

import java.time.Duration;

/**
 * A step of a workflow. Implementations are public classes with a public constructor without parameters, so that any
 * process of the app can create them by name.
 *
 * <p>{@link #run} is called in a task. It returns an output, or asks for another turn, or adds children: see {@link
 * Step}. A task can run more than once after a crash, so effects outside of the datastore must be repeatable; what it
 * returns counts once.
 */
public interface Pipeline {
    /**
     * @return null for an output of null
     * @throws Abort to end the workflow without further attempts
     * @throws Exception for another attempt, as {@link #retries} says
     */
    Outcome run(Step step) throws Exception;

    default Retries retries() {
        return Retries.DEFAULT;
    }

    /**
     * Attempts of a step that fails by an exception.
     *
     * @param max attempts; after the last one, the workflow is aborted
     * @param pause before the second attempt; each further pause is {@code factor} times longer, up to an hour
     */
    record Retries(int max, Duration pause, double factor) {
        public static final Retries DEFAULT = new Retries(3, Duration.ofSeconds(15), 2);
        private static final Duration PAUSE_MAX = Duration.ofHours(1);

        public Retries {
            if (max < 1 || pause.isNegative() || !(factor >= 1)) {
                throw new IllegalArgumentException("retries need a positive number, a pause and a factor of 1 or more");
            }
        }

        Duration pauseAfter(long failures) {
            double millis = pause.toMillis() * Math.pow(factor, failures - 1);
            return Duration.ofMillis((long) Math.min(millis, PAUSE_MAX.toMillis()));
        }
    }
}
