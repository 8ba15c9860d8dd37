package petrichor.testing.simulation;

import static petrichor.testing.simulation.LogGuard.Form.CONDITIONAL;
import static petrichor.testing.simulation.LogGuard.Form.PLAIN;

import java.util.EnumSet;
import java.util.Set;

/**
 * The guards of a commit log whose applied part is recorded in a checkpoint and removed. {@link
 * LogModel} can disable each; then it must find a violation.
 */
public enum LogGuard {
    /** A slot is written only if absent. */
    SLOT_IF_ABSENT(CONDITIONAL),
    /** A new owner puts a seal into the first free slot. */
    SEAL(CONDITIONAL),
    /** A seal of unknown outcome does not count as a seal. */
    KNOWN_SEAL(CONDITIONAL),
    /** Seals are never removed, even if all slots around them are. */
    SEALS_STAY(CONDITIONAL),
    /** A process that finds its own record in the slot has written it. */
    OWN_RECORD(CONDITIONAL),
    /**
     * A new owner reads the checkpoint again after its seal, and restarts the walk if it has moved.
     */
    NOTE_READ_AGAIN(CONDITIONAL),

    /** An owner reads its gate after its record is durable, not before. */
    GATE_READ_AFTER_RECORD(PLAIN),
    /** A new owner closes the gate before it reads the slots. */
    GATE_CLOSED_BEFORE_SLOTS(PLAIN),
    /** A closed gate is never opened again. */
    GATE_STAYS_CLOSED(PLAIN),
    /** An epoch's end is written only if absent. */
    END_IF_ABSENT(PLAIN),
    /** Only records before the end are valid. */
    END_IS_OBEYED(PLAIN),
    /** Nothing is read from an epoch without an end. */
    END_BEFORE_READING(PLAIN),
    /** The checkpoint is read again between the slots and the end. */
    NOTE_READ_BEFORE_END(PLAIN),
    /**
     * Records before the end are written again first, because they may be in some replicas only.
     */
    LAST_RECORD_PUT_AGAIN(PLAIN),
    /** A record with a closed gate may be valid: its client is not informed of a refusal. */
    CLOSED_IS_NOT_REFUSED(PLAIN),
    /** Nor is its client informed of a commit. */
    CLOSED_IS_NOT_COMMITTED(PLAIN),
    /** An end of unknown outcome does not count as an end. */
    KNOWN_END(PLAIN),
    /** Gates and ends are never removed, even if all slots are. */
    GATES_AND_ENDS_STAY(PLAIN),

    /** A seal makes only its writer the owner. */
    OWN_SEAL(CONDITIONAL, PLAIN),
    /** A checkpoint covers only slots whose batches are in the rows. */
    NOTE_ONLY_APPLIED(CONDITIONAL, PLAIN),
    /** A late checkpoint does not replace a newer one. */
    NOTE_IF_NEWER(CONDITIONAL, PLAIN),
    /** A slot is removed only after a checkpoint beyond it. */
    NOTE_BEFORE_REMOVAL(CONDITIONAL, PLAIN),
    /** Only slots whose batches are in the rows are removed. */
    REMOVE_ONLY_APPLIED(CONDITIONAL, PLAIN),
    /** A new owner applies the slots that it has walked over. */
    REPLAY(CONDITIONAL, PLAIN),
    /** A row never replaces a newer one. */
    PUT_IF_NEWER(CONDITIONAL, PLAIN),
    /** New versions are higher than all that the walk has found. */
    VERSIONS_ABOVE_WALKED(CONDITIONAL, PLAIN),
    /** Commits that are not in the rows yet are read from memory. */
    MEMORY(CONDITIONAL, PLAIN),
    /** An owner that does not know the outcome of a record takes over the log again. */
    STOP_ON_UNKNOWN(CONDITIONAL, PLAIN),
    /** A lost record is reported as not written only after that. */
    FATE_AFTER_TAKING(CONDITIONAL, PLAIN),
    /** A commit is acknowledged only after the store has responded. */
    ACK_AFTER_DURABLE(CONDITIONAL, PLAIN),
    /** A commit's reads are still the newest versions. */
    VALIDATION(CONDITIONAL, PLAIN),
    /** A process that has taken over a log checks its lease afterwards, and stops without it. */
    LEASE_AFTER_TAKING(CONDITIONAL, PLAIN),
    /** An owner opens snapshots only while it holds the lease. */
    LEASE_ON_READ(CONDITIONAL, PLAIN);

    /** How slots are filled and closed. */
    public enum Form {
        /** Each slot is written only if absent; a seal in the next one fences off its owner. */
        CONDITIONAL,
        /** Records are written plainly; each epoch has a gate and, once that is closed, an end. */
        PLAIN
    }

    @SuppressWarnings("ImmutableEnumChecker") // filled once, by the constructor
    private final Set<Form> forms = EnumSet.noneOf(Form.class);

    LogGuard(Form... forms) {
        this.forms.addAll(Set.of(forms));
    }

    /** The guards on which a log of this form relies. */
    public static Set<LogGuard> of(Form form) {
        Set<LogGuard> guards = EnumSet.noneOf(LogGuard.class);
        for (LogGuard guard : values()) {
            if (guard.forms.contains(form)) {
                guards.add(guard);
            }
        }
        return guards;
    }
}
