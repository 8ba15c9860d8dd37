package petrichor.testing.simulation;

/**
 * What keeps a commit log right whose applied part is noted and removed. {@link LogModel} can do
 * without each; then it must go wrong.
 */
public enum LogGuard {
    /** A slot is written only where none is. */
    SLOT_IF_ABSENT,
    /** A new owner puts a seal into the first free slot. */
    SEAL,
    /** A seal makes an owner of nobody but who wrote it. */
    OWN_SEAL,
    /** A seal of which the store did not say whether it was written is none. */
    KNOWN_SEAL,
    /** A seal stays for ever, also where all around it is removed. */
    SEALS_STAY,
    /** A new owner reads the note once more after its seal, and walks anew if it has moved. */
    NOTE_READ_AGAIN,
    /** A note names nothing that is not in the rows. */
    NOTE_ONLY_APPLIED,
    /** A late note does not replace a newer one. */
    NOTE_IF_NEWER,
    /** A slot is removed only after a note beyond it. */
    NOTE_BEFORE_REMOVAL,
    /** Only slots are removed whose batches are in the rows. */
    REMOVE_ONLY_APPLIED,
    /** A new owner applies what it has walked over. */
    REPLAY,
    /** A row never replaces a newer one. */
    PUT_IF_NEWER,
    /** New versions are above all that the walk has found. */
    VERSIONS_ABOVE_WALKED,
    /** What was committed and is not in the rows yet is read from memory. */
    MEMORY,
    /** Who finds its own record in the slot has written it. */
    OWN_RECORD,
    /** An owner that does not know what became of a record takes the log anew. */
    STOP_ON_UNKNOWN,
    /** A lost record is declared as not written only after that. */
    FATE_AFTER_TAKING,
    /** A client is told only after the store has answered. */
    ACK_AFTER_DURABLE,
    /** What a commit has read is still the newest. */
    VALIDATION,
    /** Who has taken a log looks at its lease afterwards, and without it does no more. */
    LEASE_AFTER_TAKING,
    /** An owner hands out snapshots only while it holds the lease. */
    LEASE_ON_READ
}
