package petrichor.kv;

/**
 * A walk over the rows of a range: {@code while (scan.next()) { scan.key(); scan.value(); }}.
 * Belongs to one thread. Holds resources of the store until it is closed. The arrays belong to the
 * caller from the moment they are returned.
 */
public interface Scan extends AutoCloseable {
    /** Steps to the next row; false when there is none (or the limit was reached). */
    boolean next();

    byte[] key();

    byte[] value();

    @Override
    void close();
}
