package petrichor.entities;

/** Direction in which an index orders the values of a property. */
public enum SortOrder {
    ASCENDING,
    DESCENDING;

    public SortOrder reversed() {
        return this == ASCENDING ? DESCENDING : ASCENDING;
    }

    boolean inverted() {
        return this == DESCENDING;
    }
}
