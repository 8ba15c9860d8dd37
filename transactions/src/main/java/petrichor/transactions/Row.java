package petrichor.transactions;

/**
 * A row as of a version. The arrays are shared and must not be changed.
 *
 * @param version the commit that wrote it, microseconds since 1970; also its update time
 */
public record Row(byte[] key, long version, byte[] value) {}
