package petrichor.kv;

/**
 * Iterates over the rows of a range: {@code while (scan.next()) { scan.key(); scan.value(); }}.
 * Confined to one thread. Holds resources of the store until it is closed. The caller owns the
 * returned arrays.
 */
public interface Scan extends AutoCloseable {
    /** Advances to the next row; false at the end of the range or the limit. */
    boolean next();

    byte[] key();

    byte[] value();

    @Override
    void close();
}
