package petrichor.testing.simulation;

import static petrichor.testing.simulation.LogGuard.Form.CONDITIONAL;
import static petrichor.testing.simulation.LogGuard.Form.PLAIN;

import java.util.EnumSet;
import java.util.Set;

/**
 * What keeps a commit log right whose applied part is noted and removed. {@link LogModel} can do
 * without each; then it must go wrong.
 */
public enum LogGuard {
    /** A slot is written only where none is. */
    SLOT_IF_ABSENT(CONDITIONAL),
    /** A new owner puts a seal into the first free slot. */
    SEAL(CONDITIONAL),
    /** A seal of which the store did not say whether it was written is none. */
    KNOWN_SEAL(CONDITIONAL),
    /** A seal stays for ever, also where all around it is removed. */
    SEALS_STAY(CONDITIONAL),
    /** Who finds its own record in the slot has written it. */
    OWN_RECORD(CONDITIONAL),
    /**
     * A new owner reads the checkpoint again after its seal, and restarts the walk if it has moved.
     */
    NOTE_READ_AGAIN(CONDITIONAL),

    /** An owner reads its gate after its record is durable, not before. */
    GATE_READ_AFTER_RECORD(PLAIN),
    /** A new owner closes the gate before it reads the slots. */
    GATE_CLOSED_BEFORE_SLOTS(PLAIN),
    /** A gate that was closed is never open again. */
    GATE_STAYS_CLOSED(PLAIN),
    /** An epoch gets an end only where it has none. */
    END_IF_ABSENT(PLAIN),
    /** Only what is before the end counts. */
    END_IS_OBEYED(PLAIN),
    /** Of an epoch that has no end nothing is read. */
    END_BEFORE_READING(PLAIN),
    /** The note is read again between the slots and the end. */
    NOTE_READ_BEFORE_END(PLAIN),
    /** What is before the end is put again first, should it be in some replicas only. */
    LAST_RECORD_PUT_AGAIN(PLAIN),
    /** A record whose gate is closed may count: its client does not learn that it was refused. */
    CLOSED_IS_NOT_REFUSED(PLAIN),
    /** Nor that it was committed. */
    CLOSED_IS_NOT_COMMITTED(PLAIN),
    /** An end of which the store did not say whether it was written is none. */
    KNOWN_END(PLAIN),
    /** Gates and ends stay for ever, also where all slots are removed. */
    GATES_AND_ENDS_STAY(PLAIN),

    /** A seal makes only its writer the owner. */
    OWN_SEAL(CONDITIONAL, PLAIN),
    /** A note names nothing that is not in the rows. */
    NOTE_ONLY_APPLIED(CONDITIONAL, PLAIN),
    /** A late note does not replace a newer one. */
    NOTE_IF_NEWER(CONDITIONAL, PLAIN),
    /** A slot is removed only after a note beyond it. */
    NOTE_BEFORE_REMOVAL(CONDITIONAL, PLAIN),
    /** Only slots are removed whose batches are in the rows. */
    REMOVE_ONLY_APPLIED(CONDITIONAL, PLAIN),
    /** A new owner applies what it has walked over. */
    REPLAY(CONDITIONAL, PLAIN),
    /** A row never replaces a newer one. */
    PUT_IF_NEWER(CONDITIONAL, PLAIN),
    /** New versions are above all that the walk has found. */
    VERSIONS_ABOVE_WALKED(CONDITIONAL, PLAIN),
    /** What was committed and is not in the rows yet is read from memory. */
    MEMORY(CONDITIONAL, PLAIN),
    /** An owner that does not know the outcome of a record takes the log over again. */
    STOP_ON_UNKNOWN(CONDITIONAL, PLAIN),
    /** A lost record is declared as not written only after that. */
    FATE_AFTER_TAKING(CONDITIONAL, PLAIN),
    /** A commit is acknowledged only after the store has responded. */
    ACK_AFTER_DURABLE(CONDITIONAL, PLAIN),
    /** What a commit has read is still the newest. */
    VALIDATION(CONDITIONAL, PLAIN),
    /** Who has taken a log looks at its lease afterwards, and without it does no more. */
    LEASE_AFTER_TAKING(CONDITIONAL, PLAIN),
    /** An owner hands out snapshots only while it holds the lease. */
    LEASE_ON_READ(CONDITIONAL, PLAIN);

    /** How slots are filled and closed. */
    public enum Form {
        /** Each is written only where none is; a seal in the next one shuts its owner out. */
        CONDITIONAL,
        /** Records are written plainly; beside them are a gate and, once it is closed, an end. */
        PLAIN
    }

    @SuppressWarnings("ImmutableEnumChecker") // filled once, by the constructor
    private final Set<Form> forms = EnumSet.noneOf(Form.class);

    LogGuard(Form... forms) {
        this.forms.addAll(Set.of(forms));
    }

    /** Those that a log of this form relies on. */
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
