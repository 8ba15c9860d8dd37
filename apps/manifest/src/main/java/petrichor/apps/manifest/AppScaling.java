package petrichor.apps.manifest;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import petrichor.base.PetrichorException;

/** How the number of instances of a version follows its load: App Engine's three kinds. */
public sealed interface AppScaling {
    /** Whether instances are of a class that begins with F, not with B. */
    default boolean isAutomatic() {
        return switch (this) {
            case Automatic _ -> true;
            case Basic _, Manual _ -> false;
        };
    }

    /** By concurrency and pending latency. */
    record Automatic(
            Instances instances, Idle idle, PendingLatency pending, Utilization utilization)
            implements AppScaling {
        /** Of an app that does not say. */
        public static final Automatic DEFAULT =
                new Automatic(
                        new Instances(0, OptionalInt.empty()),
                        new Idle(OptionalInt.empty(), OptionalInt.empty()),
                        new PendingLatency(Optional.empty(), Optional.empty()),
                        new Utilization(
                                Utilization.DEFAULT, Utilization.DEFAULT, Utilization.CONCURRENT));
    }

    /**
     * Started by requests, stopped when idle.
     *
     * @param instancesMax 1 to {@link Instances#FIXED_MAX}
     * @param idleTimeout without requests, after which an instance stops
     */
    record Basic(int instancesMax, Duration idleTimeout) implements AppScaling {
        public static final Duration IDLE_TIMEOUT = Duration.ofMinutes(5);

        public Basic {
            range("max_instances", instancesMax, 1, Instances.FIXED_MAX);
            if (!idleTimeout.isPositive()) {
                throw PetrichorException.invalid(
                        "idle_timeout is {timeout}; it must be positive.", "timeout", idleTimeout);
            }
        }
    }

    /**
     * A fixed number.
     *
     * @param instances 1 to {@link Instances#FIXED_MAX}
     */
    record Manual(int instances) implements AppScaling {
        public Manual {
            range("instances", instances, 1, Instances.FIXED_MAX);
        }
    }

    /**
     * @param min 0 to {@link #MIN_MAX}
     * @param max empty for no limit
     */
    record Instances(int min, OptionalInt max) {
        static final int MIN_MAX = 1_000;
        static final int FIXED_MAX = 1_000;

        public Instances {
            range("min_instances", min, 0, MIN_MAX);
            if (max.isPresent()) {
                range("max_instances", max.getAsInt(), 1, Integer.MAX_VALUE);
            }
            ordered("min_instances", min, "max_instances", max.orElse(min));
        }
    }

    /**
     * Instances beyond those that the load needs; empty for "automatic".
     *
     * @param min 0 to 1,000
     * @param max 1 to 1,000
     */
    record Idle(OptionalInt min, OptionalInt max) {
        static final int IDLE_MAX = 1_000;

        public Idle {
            min.ifPresent(number -> range("min_idle_instances", number, 0, IDLE_MAX));
            max.ifPresent(number -> range("max_idle_instances", number, 1, IDLE_MAX));
            int least = min.orElse(0);
            ordered("min_idle_instances", least, "max_idle_instances", max.orElse(least));
        }
    }

    /**
     * How long a request may wait for an instance: below {@code min} it waits, above {@code max} an
     * instance starts. Empty for "automatic". 10 ms to 15 s.
     */
    record PendingLatency(Optional<Duration> min, Optional<Duration> max) {
        static final Duration LEAST = Duration.ofMillis(10);
        static final Duration GREATEST = Duration.ofSeconds(15);

        public PendingLatency {
            min.ifPresent(time -> check("min_pending_latency", time));
            max.ifPresent(time -> check("max_pending_latency", time));
            if (min.isPresent() && max.isPresent() && min.get().compareTo(max.get()) > 0) {
                throw PetrichorException.invalid(
                        "min_pending_latency is {min} ms and max_pending_latency {max} ms; the"
                                + " minimum must not be greater.",
                        "min",
                        min.get().toMillis(),
                        "max",
                        max.get().toMillis());
            }
        }

        private static void check(String key, Duration time) {
            if (time.compareTo(LEAST) < 0 || time.compareTo(GREATEST) > 0) {
                throw PetrichorException.invalid(
                        "{key} is {time} ms; it must be 10ms to 15s.",
                        "key",
                        key,
                        "time",
                        time.toMillis());
            }
        }
    }

    /**
     * When an instance counts as busy.
     *
     * @param cpu target, 0.5 to 0.95
     * @param throughput target share of {@code concurrentRequestsMax}, 0.5 to 0.95
     * @param concurrentRequestsMax requests that an instance gets at one time, 1 to 1,000
     */
    record Utilization(double cpu, double throughput, int concurrentRequestsMax) {
        static final double DEFAULT = 0.6;

        /** Requests of an instance whose scaling does not say how many. */
        public static final int CONCURRENT = 10;

        private static final double LEAST = 0.5;
        private static final double GREATEST = 0.95;
        private static final int CONCURRENT_MAX = 1_000;

        public Utilization {
            check("target_cpu_utilization", cpu);
            check("target_throughput_utilization", throughput);
            range("max_concurrent_requests", concurrentRequestsMax, 1, CONCURRENT_MAX);
        }

        private static void check(String key, double share) {
            if (!(share >= LEAST && share <= GREATEST)) {
                throw PetrichorException.invalid(
                        "{key} is {share}; it must be 0.5 to 0.95.", "key", key, "share", share);
            }
        }
    }

    private static void range(String key, int number, int min, int max) {
        if (number < min || number > max) {
            throw PetrichorException.invalid(
                    "{key} is {number}; it must be {min} to {max}.",
                    "key",
                    key,
                    "number",
                    number,
                    "min",
                    min,
                    "max",
                    max);
        }
    }

    private static void ordered(String minKey, int min, String maxKey, int max) {
        if (min > max) {
            throw PetrichorException.invalid(
                    "{minKey} is {min} and {maxKey} {max}; the minimum must not be greater.",
                    "minKey",
                    minKey,
                    "min",
                    min,
                    "maxKey",
                    maxKey,
                    "max",
                    max);
        }
    }
}
