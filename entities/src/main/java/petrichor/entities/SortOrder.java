package petrichor.entities;

/** In which direction an index keeps the values of a property. */
public enum SortOrder {
    ASCENDING,
    DESCENDING;

    boolean inverted() {
        return this == DESCENDING;
    }
}
