package petrichor.apps.scaling;

import java.time.Duration;
import petrichor.apps.manifest.AppScaling;
import petrichor.base.PetrichorException;

/** How the number of instances follows the load. */
public sealed interface ScalingPolicy {
    /**
     * By concurrency and pending latency.
     *
     * @param target requests of an instance, on average, at which further instances start
     * @param concurrentRequestsMax requests of an instance at one time
     */
    record Automatic(
            Bounds bounds,
            Idle idle,
            Pending pending,
            double target,
            int concurrentRequestsMax,
            Reaction reaction)
            implements ScalingPolicy {
        public Automatic {
            if (!(target > 0 && target <= concurrentRequestsMax)) {
                throw PetrichorException.invalid(
                        "The target of an instance is {target} requests; it must be positive, and"
                                + " at most {concurrentRequestsMax}.",
                        "target",
                        target,
                        "concurrentRequestsMax",
                        concurrentRequestsMax);
            }
        }
    }

    /** Started by requests that wait, stopped when idle. */
    record Basic(int instancesMax, Duration idleTimeout, int concurrentRequestsMax)
            implements ScalingPolicy {
        public Basic {
            check(instancesMax >= 1 && concurrentRequestsMax >= 1 && idleTimeout.isPositive());
        }
    }

    /** A fixed number. */
    record Manual(int instances, int concurrentRequestsMax) implements ScalingPolicy {
        public Manual {
            check(instances >= 1 && concurrentRequestsMax >= 1);
        }
    }

    /** The number of instances, regardless of the load. */
    record Bounds(int min, int max) {
        /** Of a version without a maximum: what a deployment of several servers can run. */
        public static final int MAX = 10_000;

        public Bounds {
            check(min >= 0 && max >= 1 && min <= max);
        }
    }

    /** Instances beyond those that the load needs. */
    record Idle(int min, int max) {
        public static final Idle ANY = new Idle(0, Integer.MAX_VALUE);

        public Idle {
            check(min >= 0 && max >= min);
        }
    }

    /**
     * Requests that wait.
     *
     * @param min shorter waits do not count as load; the first instance starts nevertheless
     * @param max a longer wait starts instances for all requests that wait; so does any wait while
     *     no instance is ready
     */
    record Pending(Duration min, Duration max) {
        /** For "automatic": every wait counts, and the windows decide for the first second. */
        public static final Pending AUTOMATIC = new Pending(Duration.ZERO, Duration.ofSeconds(1));

        public Pending {
            check(!min.isNegative() && min.compareTo(max) <= 0);
        }
    }

    /**
     * How fast instances follow the load. {@link #DEFAULT} has Knative's values and a tolerance.
     *
     * @param panicThreshold instances that the panic window needs, divided by those that are ready,
     *     at which panic mode starts
     * @param rates of one decision
     * @param downTolerance instances stop only if the load, increased by this share, does not need
     *     them: without it, a load at the limit of an instance starts and stops it again and again
     * @param zeroGrace the last instance stops this long after the stable window is without load
     */
    record Reaction(
            Windows windows,
            double panicThreshold,
            Rates rates,
            double downTolerance,
            Duration zeroGrace) {
        public static final Reaction DEFAULT =
                new Reaction(
                        new Windows(
                                Duration.ofSeconds(60), Duration.ofSeconds(6), Averaging.LINEAR),
                        2,
                        new Rates(1_000, 2),
                        0.1,
                        Duration.ofSeconds(30));

        public Reaction {
            check(panicThreshold > 1 && downTolerance >= 0 && !zeroGrace.isNegative());
        }
    }

    /** Times over which the load is averaged. */
    record Windows(Duration stable, Duration panic, Averaging averaging) {
        private static final Duration GREATEST = Duration.ofHours(1);

        public Windows {
            check(
                    panic.compareTo(BucketWindow.GRANULARITY) >= 0
                            && panic.compareTo(stable) <= 0
                            && stable.compareTo(GREATEST) <= 0);
        }
    }

    /** How a window weights its seconds. */
    enum Averaging {
        /** All alike. */
        LINEAR,
        /** Exponentially less with their age. */
        WEIGHTED
    }

    /** Factors by which a decision may multiply, or divide, the instances that are ready. */
    record Rates(double up, double down) {
        public Rates {
            check(up > 1 && down > 1);
        }
    }

    /** Requests of an instance at one time. */
    int concurrentRequestsMax();

    /** The policy of an {@code app.yaml}. */
    static ScalingPolicy of(AppScaling scaling) {
        return switch (scaling) {
            case AppScaling.Automatic automatic -> automatic(automatic);
            case AppScaling.Basic(int max, Duration idleTimeout) ->
                    new Basic(max, idleTimeout, AppScaling.Utilization.CONCURRENT);
            case AppScaling.Manual(int instances) ->
                    new Manual(instances, AppScaling.Utilization.CONCURRENT);
        };
    }

    private static ScalingPolicy automatic(AppScaling.Automatic scaling) {
        AppScaling.Utilization utilization = scaling.utilization();
        int concurrent = utilization.concurrentRequestsMax();
        return new Automatic(
                new Bounds(
                        scaling.instances().min(),
                        Math.min(scaling.instances().max().orElse(Bounds.MAX), Bounds.MAX)),
                new Idle(
                        scaling.idle().min().orElse(Idle.ANY.min()),
                        scaling.idle().max().orElse(Idle.ANY.max())),
                pending(scaling.pending()),
                concurrent * utilization.throughput(),
                concurrent,
                Reaction.DEFAULT);
    }

    /** A default that contradicts the other value is adjusted to it. */
    private static Pending pending(AppScaling.PendingLatency latency) {
        Duration min = latency.min().orElse(Pending.AUTOMATIC.min());
        Duration max = latency.max().orElse(Pending.AUTOMATIC.max());
        return new Pending(min, max.compareTo(min) < 0 ? min : max);
    }

    private static void check(boolean valid) {
        if (!valid) {
            throw PetrichorException.invalid(
                    "A scaling policy has a value out of its range; correct the scaling of"
                            + " app.yaml.");
        }
    }
}
