package petrichor.client.tuples;

/**
 * What became of a mutation.
 *
 * @param revision of the tuple after the mutation; if a condition was not met, as it is
 */
public record MutationOutcome(State state, long revision) {
    public enum State {
        CREATED,
        REPLACED,
        DELETED,
        /** There was no tuple to delete. */
        NOTHING_TO_DELETE,
        CONDITION_NOT_MET,
        /** The condition of another mutation was not met. */
        NOT_ATTEMPTED
    }
}
