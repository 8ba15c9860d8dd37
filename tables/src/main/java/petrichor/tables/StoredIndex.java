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

    /** Of an index that is built while rows are written. */
    public enum State {
        /** Writers maintain it, and the backfill adds entries of older rows; not read. */
        BUILDING,
        READABLE
    }

    public StoredIndex {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("an index has at least one column");
        }
    }

    StoredIndex in(State newState) {
        return new StoredIndex(id, name, unique, newState, parts);
    }
}
