package petrichor.transactions;

/** A version of the database that stays readable until it is closed. Thread-safe. */
public interface Snapshot extends RowReader, AutoCloseable {
    @Override
    void close();
}
