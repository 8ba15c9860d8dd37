package petrichor.transactions;

/** Outcome of a commit. */
public sealed interface CommitResult {
    /**
     * Durable and visible to every snapshot taken from now on.
     *
     * @param version microseconds since 1970, strictly increasing per database
     */
    record Committed(long version) implements CommitResult {}

    /**
     * Data that it read was overwritten in the meantime; nothing was written. {@code key}
     * identifies the conflict.
     */
    record Conflict(byte[] key, long version) implements CommitResult {}

    /**
     * Refused before anything was written: the store does not accept writes now, the queue is full,
     * or the sequencer is fenced or shutting down.
     */
    record Refused(petrichor.base.PetrichorException reason) implements CommitResult {}

    /** The durable step failed midway: recovery may or may not find the commit. */
    record Unknown(petrichor.base.PetrichorException reason) implements CommitResult {}
}
