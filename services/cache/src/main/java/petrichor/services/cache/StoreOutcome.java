package petrichor.services.cache;

/** What became of an item to store. */
public enum StoreOutcome {
    STORED,
    /** The condition was not met. */
    NOT_STORED,
    /** Compare-and-set: another client wrote the item since it was read. */
    CHANGED,
    /** The value is larger than {@link Cache#VALUE_BYTES_MAX}. */
    TOO_LARGE,
    /** No memory is free, and the app has no items that it could give up. */
    NO_MEMORY
}
