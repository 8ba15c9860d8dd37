package petrichor.transactions;

/**
 * A row as of some version. The arrays are shared: nobody may change them.
 *
 * @param version the commit that wrote it, microseconds since 1970; also its update time
 */
public record Row(byte[] key, long version, byte[] value) {}
