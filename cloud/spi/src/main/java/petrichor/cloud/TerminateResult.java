package petrichor.cloud;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Outcome of a termination. */
public sealed interface TerminateResult {
    /**
     * The machine will terminate; it is billed for at most {@link CloudLimits#terminationTakes}
     * from now.
     */
    record Accepted() implements TerminateResult {}

    /**
     * The machine has terminated, or never existed.
     *
     * @param since end of billing if it terminated unexpectedly and the time is known
     */
    record Gone(Optional<Instant> since) implements TerminateResult {
        public Gone() {
            this(Optional.empty());
        }
    }

    /** Not executed; retry later. */
    record Throttled(Duration retryAfter) implements TerminateResult {}

    /** Unknown outcome; repeating the call is harmless. */
    record Unknown(String reason) implements TerminateResult {}
}
