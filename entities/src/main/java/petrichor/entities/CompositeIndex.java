package petrichor.entities;

/**
 * A composite index of a database.
 *
 * @param id what its rows start with; never given to another index
 */
public record CompositeIndex(int id, IndexDefinition definition, State state, Origin origin) {
    /** Why an index exists. */
    public enum Origin {
        /** Declared in index.yaml or through the Admin API. */
        DECLARED,
        /** A query needed it; it may be removed when other queries need others. */
        AUTOMATIC
    }

    /** What an index is good for. */
    public enum State {
        /** Writers maintain it, but entities from before it was declared may still be missing. */
        WRITE_ONLY,
        /** It has all entities. */
        READABLE,
        /** No longer maintained; its rows are being removed. */
        REMOVING
    }

    public CompositeIndex withState(State newState) {
        return new CompositeIndex(id, definition, newState, origin);
    }

    CompositeIndex withOrigin(Origin newOrigin) {
        return new CompositeIndex(id, definition, state, newOrigin);
    }

    /** Whether a commit has to keep it up to date. */
    boolean maintained() {
        return state != State.REMOVING;
    }
}
