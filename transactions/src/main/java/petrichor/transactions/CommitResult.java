package petrichor.transactions;

/** What became of a commit. */
public sealed interface CommitResult {
    /**
     * Durable and visible to every snapshot taken from now on.
     *
     * @param version microseconds since 1970, strictly increasing per database
     */
    record Committed(long version) implements CommitResult {}

    /** Something it read was written meanwhile; nothing was written. {@code key} says what. */
    record Conflict(byte[] key, long version) implements CommitResult {}

    /**
     * Refused without a trace: the store does not accept writes now, the queue is full, the
     * sequencer is fenced or shutting down. Nothing was written.
     */
    record Refused(petrichor.base.PetrichorException reason) implements CommitResult {}

    /** The durable step failed half way: it may or may not be found after recovery. */
    record Unknown(petrichor.base.PetrichorException reason) implements CommitResult {}
}
