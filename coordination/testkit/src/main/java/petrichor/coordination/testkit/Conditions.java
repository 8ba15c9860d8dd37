package petrichor.coordination.testkit;

import java.time.Duration;

/** How long the kit waits, and how long its leases are. */
final class Conditions {
    /** For tests in which a lease expires. */
    static final Duration LEASE = Duration.ofMillis(600);

    /** For tests in which no lease may expire, however slow the machine is. */
    static final Duration LONG_LEASE = Duration.ofMinutes(5);

    /** Between the two: a member looks for changes of others eight times in a lease. */
    static final Duration WATCHING_LEASE = Duration.ofSeconds(8);

    /** For what should come at once. */
    static final Duration SHORT = Duration.ofSeconds(60);

    private Conditions() {}
}
