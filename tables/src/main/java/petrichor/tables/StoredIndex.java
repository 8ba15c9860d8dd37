package petrichor.tables;

import java.util.List;

/**
 * An index of a table: one entry per row.
 *
 * @param id within the database; never reused
 * @param unique a second row with the same values, none of which is NULL, is refused
 */
public record StoredIndex(int id, String name, boolean unique, State state, List<Part> parts) {
    /**
     * An indexed column.
     *
     * @param column id of the column
     */
    public record Part(int column, boolean descending) {}

    /**
     * Of an index that is built while rows are written: each state is the next one of the former.
     * Transactions of two adjacent states may commit at the same time and leave no entry without a
     * row.
     */
    public enum State {
        /** Writers remove entries and add none; not read. */
        DELETE_ONLY,
        /** Writers maintain it and refuse duplicates; older rows may have no entries; not read. */
        WRITE_ONLY,
        /** All writers maintain it, and the backfill adds entries of older rows; not read. */
        BACKFILL,
        READABLE
    }

    public StoredIndex {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("an index has at least one column");
        }
    }

    public boolean readable() {
        return state == State.READABLE;
    }

    /** Whether writers add entries. */
    boolean written() {
        return state != State.DELETE_ONLY;
    }

    StoredIndex in(State newState) {
        return new StoredIndex(id, name, unique, newState, parts);
    }
}
