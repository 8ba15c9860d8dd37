package petrichor.coordination.testkit;

import java.time.Duration;

/** How long the kit waits, and how long its leases are. */
final class Conditions {
    static final Duration LEASE = Duration.ofMillis(600);

    /** For what should come at once. */
    static final Duration SHORT = Duration.ofSeconds(10);

    private Conditions() {}
}
