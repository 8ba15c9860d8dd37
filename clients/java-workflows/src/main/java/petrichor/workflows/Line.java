package petrichor.workflows;

/**
 * A line of an object, without its end. Bytes that are not UTF-8 are replaced.
 *
 * @param offset of its first byte
 */
public record Line(String object, long offset, String text) {}
