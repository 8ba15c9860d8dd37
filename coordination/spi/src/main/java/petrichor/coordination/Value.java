package petrichor.coordination;

/**
 * A small piece of shared configuration.
 *
 * @param version 0 for one that does not exist, with no bytes
 */
public record Value(byte[] bytes, long version) {
    /** What nobody has set. */
    static final Value NONE = new Value(new byte[0], 0);
}
