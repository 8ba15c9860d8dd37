package petrichor.entities;

/**
 * A composite index of a database.
 *
 * @param id what its rows start with; never given to another index
 */
public record CompositeIndex(int id, IndexDefinition definition, State state) {
    /** What an index is good for. */
    public enum State {
        /** Writers maintain it, but entities from before it was declared may still be missing. */
        WRITE_ONLY,
        /** It has all entities. */
        READABLE,
        /** Nobody maintains it any more; its rows are being removed. */
        REMOVING
    }

    public CompositeIndex withState(State newState) {
        return new CompositeIndex(id, definition, newState);
    }

    /** Whether a commit has to keep it up to date. */
    boolean maintained() {
        return state != State.REMOVING;
    }
}
