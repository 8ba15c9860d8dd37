package petrichor.coordination;

/**
 * The last holder of a name. Only that holder knows whether it still holds it.
 *
 * @param member the holder's id; empty after a release
 * @param epoch grows with each holder of the name: the fencing token
 */
public record NameHolder(String name, String member, long epoch) {}
