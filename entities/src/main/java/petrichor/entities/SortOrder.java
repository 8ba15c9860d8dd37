package petrichor.entities;

/** In which direction an index keeps the values of a property. */
public enum SortOrder {
    ASCENDING,
    DESCENDING;

    SortOrder reversed() {
        return this == ASCENDING ? DESCENDING : ASCENDING;
    }

    boolean inverted() {
        return this == DESCENDING;
    }
}
