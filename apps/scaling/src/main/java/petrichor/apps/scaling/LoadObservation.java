package petrichor.apps.scaling;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import petrichor.base.PetrichorException;

/**
 * The load of a version at one time.
 *
 * @param at not before that of the previous observation
 * @param concurrency of each instance that is ready: requests in progress, on average since the
 *     previous observation
 * @param starting instances that have started and are not ready
 * @param pending requests that wait for an instance
 * @param backlog tasks of queues for this version that are due and wait
 */
public record LoadObservation(
        Instant at, List<Double> concurrency, int starting, Pending pending, int backlog) {
    /**
     * @param requests that wait
     * @param latency how long the first of them has waited
     */
    public record Pending(int requests, Duration latency) {
        public static final Pending NONE = new Pending(0, Duration.ZERO);

        public Pending {
            if (requests < 0 || latency.isNegative()) {
                throw PetrichorException.invalid(
                        "{requests} requests wait for {latency}; both must not be negative.",
                        "requests",
                        requests,
                        "latency",
                        latency);
            }
        }
    }

    public LoadObservation {
        concurrency = List.copyOf(concurrency);
        for (double each : concurrency) {
            if (!(each >= 0 && each < Integer.MAX_VALUE)) {
                throw PetrichorException.invalid(
                        "The concurrency of an instance is {concurrency}; it must be a number of"
                                + " requests.",
                        "concurrency",
                        each);
            }
        }
        if (starting < 0 || backlog < 0) {
            throw PetrichorException.invalid(
                    "{starting} instances start and {backlog} tasks wait; both must not be"
                            + " negative.",
                    "starting",
                    starting,
                    "backlog",
                    backlog);
        }
    }

    /** Instances that are ready. */
    public int ready() {
        return concurrency.size();
    }

    /** Instances that are ready or starting. */
    public int instances() {
        return ready() + starting;
    }

    /** Instances that had requests since the previous observation. */
    public int busy() {
        return Math.toIntExact(concurrency.stream().filter(each -> each > 0).count());
    }

    /** Requests in progress, of all instances. */
    public double inProgress() {
        return concurrency.stream().mapToDouble(Double::doubleValue).sum();
    }
}
