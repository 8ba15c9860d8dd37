package petrichor.transactions;

/** Iterates over rows in key order; see {@link petrichor.kv.Scan}. Confined to one thread. */
public interface RowCursor extends AutoCloseable {
    boolean next();

    byte[] key();

    long version();

    byte[] value();

    @Override
    void close();
}
