package petrichor.jobs.flink;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Why machines are missing in this job manager, as the cloud has said it. Flink has no way by which
 * its resource manager could tell the coordinators of jobs, which work in the same process: this is
 * that way. Safe for all threads.
 */
final class LeaseNews {
    private static final Map<Object, String> REASONS = new ConcurrentHashMap<>();

    private LeaseNews() {}

    /** Whoever waits for a machine says why. */
    static void waits(Object who, String reason) {
        REASONS.put(who, reason);
    }

    /** It has one, or wants none any more. */
    static void over(Object who) {
        REASONS.remove(who);
    }

    /** One of the reasons; nothing if no machine is missing. */
    static String reason() {
        return REASONS.values().stream().findFirst().orElse("");
    }
}
