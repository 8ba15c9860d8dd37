package petrichor.entities;

/**
 * A composite index of a database.
 *
 * @param id prefix of its rows; never reused
 */
public record CompositeIndex(int id, IndexDefinition definition, State state, Origin origin) {
    /** How an index was created. */
    public enum Origin {
        /** Declared in index.yaml or through the Admin API. */
        DECLARED,
        /** Created for a query; may be removed when other queries need other indexes. */
        AUTOMATIC
    }

    /** State of an index. */
    public enum State {
        /**
         * Writers maintain it, but entities written before it was declared may still be missing.
         */
        WRITE_ONLY,
        /** It contains all entities. */
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

    /** Whether commits must keep it up to date. */
    boolean maintained() {
        return state != State.REMOVING;
    }
}
