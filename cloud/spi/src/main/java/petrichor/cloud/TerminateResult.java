package petrichor.cloud;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What came of asking for a machine's end. */
public sealed interface TerminateResult {
    /** It will end, and is not billed beyond {@link CloudLimits#terminationTakes} from now. */
    record Accepted() implements TerminateResult {}

    /**
     * It has ended, or never was.
     *
     * @param since until when it is billed if it ended without being asked, where that is known
     */
    record Gone(Optional<Instant> since) implements TerminateResult {
        public Gone() {
            this(Optional.empty());
        }
    }

    /** Not done; ask again. */
    record Throttled(Duration retryAfter) implements TerminateResult {}

    /** Unknown outcome; repeating the call is harmless. */
    record Unknown(String reason) implements TerminateResult {}
}
