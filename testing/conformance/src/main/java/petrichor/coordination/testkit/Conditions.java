package petrichor.coordination.testkit;

import java.time.Duration;

/** Timeouts and leases of the kit. */
final class Conditions {
    /** For tests in which a lease expires. */
    static final Duration LEASE = Duration.ofMillis(600);

    /** For tests in which no lease may expire, even on a slow machine. */
    static final Duration LONG_LEASE = Duration.ofMinutes(5);

    /** For tests that wait for changes: a member polls the others eight times per lease. */
    static final Duration WATCHING_LEASE = Duration.ofSeconds(8);

    /** For results that should be immediate. */
    static final Duration SHORT = Duration.ofSeconds(60);

    private Conditions() {}
}
