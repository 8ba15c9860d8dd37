package petrichor.testing.simulation;

import static petrichor.testing.simulation.Guard.Tier.A;
import static petrichor.testing.simulation.Guard.Tier.B;
import static petrichor.testing.simulation.Guard.Tier.C;

import java.util.EnumSet;
import java.util.Set;

/** The guards of the commit protocol. The model can disable each; then it must find a violation. */
public enum Guard {
    /** The store refuses a batch under a fence that is not the newest. */
    FENCE_CHECK(A),
    /**
     * A process checks its lease after it has taken the database. If it was slow, it has fenced off
     * its successor, whose readers do not know that, and must stop.
     */
    LEASE_AFTER_TAKING(A, B),
    /** A new owner fences off the former one before it reads the state to continue from. */
    FENCE_BEFORE_RECOVERY(A),
    /** All rows of a batch become visible together. */
    ATOMIC_ROWS(A),
    /** A log row is written only if absent. */
    SLOT_IF_ABSENT(B),
    /** A new owner closes the former one's log before it continues. */
    SEAL(B, C),
    /** A log row is valid only if it was complete while the lease was held. */
    LEASE_ON_COMMIT(C),
    /** Applying a log row never replaces a newer row. */
    PUT_IF_NEWER(B, C),
    /** A new owner applies the log before it serves. */
    REPLAY(B, C),
    /** The store's answer means that the data survives a power failure. */
    SYNC(A, B, C),
    /** A commit is acknowledged only after the store has responded. */
    ACK_AFTER_DURABLE(A, B, C),
    /** A commit's reads are still the newest versions. */
    VALIDATION(A, B, C),
    /** A new owner's versions are higher than all recovered ones. */
    VERSIONS_ABOVE_RECOVERED(A, B, C),
    /** An owner that does not know the outcome of a write stops and recovers. */
    STOP_ON_UNKNOWN(A, B, C),
    /** An owner opens snapshots only while it holds the lease. */
    LEASE_ON_READ(A, B, C);

    /** The kinds of commit points; see {@link petrichor.kv.DurableStep}. */
    public enum Tier {
        A,
        B,
        C
    }

    @SuppressWarnings("ImmutableEnumChecker") // filled once, by the constructor
    private final Set<Tier> tiers = EnumSet.noneOf(Tier.class);

    Guard(Tier... tiers) {
        this.tiers.addAll(Set.of(tiers));
    }

    /** The guards on which a store of this tier relies. */
    public static Set<Guard> of(Tier tier) {
        Set<Guard> guards = EnumSet.noneOf(Guard.class);
        for (Guard guard : values()) {
            if (guard.tiers.contains(tier)) {
                guards.add(guard);
            }
        }
        return guards;
    }
}
