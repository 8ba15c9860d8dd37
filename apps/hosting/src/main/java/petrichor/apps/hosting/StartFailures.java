package petrichor.apps.hosting;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;
import petrichor.apps.instances.RestartPolicy;
import petrichor.base.TimeSource;

/**
 * When the next instance of a fleet may start: after failures, pauses grow. Not thread-safe; the
 * fleet's lock guards it.
 */
final class StartFailures {
    private final RestartPolicy restarts;
    private final TimeSource time;
    private final RandomGenerator random;
    private int failures;
    private long nextNanos;
    private String reason = "";

    StartFailures(RestartPolicy restarts, TimeSource time, RandomGenerator random) {
        this.restarts = restarts;
        this.time = time;
        this.random = random;
        this.nextNanos = time.monotonicNanos();
    }

    /**
     * @param readyForNanos how long the instance that failed was ready
     */
    void add(String text, long readyForNanos) {
        RestartPolicy.Restart restart =
                restarts.afterFailure(failures, Duration.ofNanos(readyForNanos), random);
        failures = restart.failures();
        // The first failure of an instance that was healthy is replaced at once.
        nextNanos = time.monotonicNanos() + (failures <= 1 ? 0 : restart.delay().toNanos());
        reason = text.lines().findFirst().orElse("an instance failed");
    }

    boolean mayStart(long nowNanos) {
        return nowNanos - nextNanos >= 0;
    }

    /** Why the last instance failed; empty if none did. */
    Optional<String> last() {
        return failures == 0 ? Optional.empty() : Optional.of(reason);
    }

    String reason() {
        return reason;
    }
}
