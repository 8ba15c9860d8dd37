package petrichor.transactions;

/** A version of the database that stays readable until it is closed. Safe for any thread. */
public interface Snapshot extends RowReader, AutoCloseable {
    @Override
    void close();
}
