package petrichor.coordination;

/**
 * Who was given a name last. Whether it still holds it is known to itself alone.
 *
 * @param member the holder's id; empty when it gave the name back
 * @param epoch grows with each holder of the name: the fencing token
 */
public record Holding(String name, String member, long epoch) {}
