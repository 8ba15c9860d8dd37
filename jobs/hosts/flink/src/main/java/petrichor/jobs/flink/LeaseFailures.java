package petrichor.jobs.flink;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Why machines are missing in this job manager, as reported by the cloud. Flink offers no way for
 * its resource manager to inform the coordinators of jobs, which run in the same process: this
 * static registry fills that gap. Safe for all threads.
 */
final class LeaseFailures {
    private static final Map<Object, String> REASONS = new ConcurrentHashMap<>();

    private LeaseFailures() {}

    /** Registers the reason why {@code who} waits for a machine. */
    static void waits(Object who, String reason) {
        REASONS.put(who, reason);
    }

    /** {@code who} has a machine, or no longer needs one. */
    static void over(Object who) {
        REASONS.remove(who);
    }

    /** One of the reasons; empty if no machine is missing. */
    static String reason() {
        return REASONS.values().stream().findFirst().orElse("");
    }
}
