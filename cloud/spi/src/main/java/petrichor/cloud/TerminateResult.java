package petrichor.cloud;

import java.time.Duration;

/** What came of asking for a machine's end. */
public sealed interface TerminateResult {
    /** It will end, and is not billed beyond {@link CloudLimits#terminationTakes} from now. */
    record Accepted() implements TerminateResult {}

    /** It has ended, or never was. */
    record Gone() implements TerminateResult {}

    /** Not done; ask again. */
    record Throttled(Duration retryAfter) implements TerminateResult {}

    /** Nobody knows; ask again, it does no harm. */
    record Unknown(String reason) implements TerminateResult {}
}
