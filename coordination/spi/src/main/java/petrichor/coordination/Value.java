package petrichor.coordination;

/**
 * A small piece of shared configuration.
 *
 * @param version 0, with no bytes, if it does not exist
 */
public record Value(byte[] bytes, long version) {
    /** The value of a key that was never set. */
    static final Value NONE = new Value(new byte[0], 0);
}
