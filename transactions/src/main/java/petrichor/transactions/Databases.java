package petrichor.transactions;

import java.util.List;

/**
 * All databases of one store: opens (and recovers) a database on first use, creates it if it does
 * not exist, and closes idle ones. Owns the sequencers and their threads, not the store.
 */
public interface Databases extends AutoCloseable {
    Database open(String name);

    List<String> names();

    /** Removes all its rows, including history. For `POST /reset` and tests. */
    void drop(String name);

    @Override
    void close();
}
