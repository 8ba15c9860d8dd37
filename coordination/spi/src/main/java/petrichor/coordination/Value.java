package petrichor.coordination;

/**
 * A small piece of shared configuration.
 *
 * @param version 0 for one that does not exist, with no bytes
 */
public record Value(byte[] bytes, long version) {
    /** The value of a key that was never set. */
    static final Value NONE = new Value(new byte[0], 0);
}
