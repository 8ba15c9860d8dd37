package petrichor.testing.simulation;

import static petrichor.testing.simulation.Guard.Tier.A;
import static petrichor.testing.simulation.Guard.Tier.B;
import static petrichor.testing.simulation.Guard.Tier.C;

import java.util.EnumSet;
import java.util.Set;

/** What keeps the commit protocol right. The model can do without each; then it must go wrong. */
public enum Guard {
    /** The store refuses a batch under a fence that is not the newest. */
    FENCE_CHECK(A),
    /**
     * Who has taken the database looks at its lease afterwards: who wakes up late has shut out its
     * successor, whose readers do not know that, and must do no more.
     */
    LEASE_AFTER_TAKING(A, B),
    /** A new owner reads where the former one left off only after it has shut that one out. */
    FENCE_BEFORE_RECOVERY(A),
    /** All rows of a batch appear together. */
    ATOMIC_ROWS(A),
    /** A log row is written only where none is. */
    SLOT_IF_ABSENT(B),
    /** A new owner closes the former one's log before it continues. */
    SEAL(B, C),
    /** A log row counts only if it was complete while the lease was still held. */
    LEASE_ON_COMMIT(C),
    /** Applying a log row never replaces a newer row. */
    PUT_IF_NEWER(B, C),
    /** A new owner applies the log before it serves. */
    REPLAY(B, C),
    /** The store's answer means that the data survive a loss of power. */
    SYNC(A, B, C),
    /** A commit is acknowledged only after the store has responded. */
    ACK_AFTER_DURABLE(A, B, C),
    /** What a commit has read is still the newest. */
    VALIDATION(A, B, C),
    /** A new owner's versions are above all that it found. */
    VERSIONS_ABOVE_RECOVERED(A, B, C),
    /** An owner that does not know what became of a write stops and recovers. */
    STOP_ON_UNKNOWN(A, B, C),
    /** An owner hands out snapshots only while it holds the lease. */
    LEASE_ON_READ(A, B, C);

    /** The forms of the commit point; see {@link petrichor.kv.DurableStep}. */
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

    /** Those that a store of this tier relies on. */
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
