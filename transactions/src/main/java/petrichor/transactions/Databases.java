package petrichor.transactions;

import java.util.List;

/**
 * All databases of one store: opens (and recovers) a database when it is first named, creates it
 * when it does not exist, closes idle ones. Owns the sequencers and their threads, not the store.
 */
public interface Databases extends AutoCloseable {
    Database open(String name);

    List<String> names();

    /** Removes every row of it, also its history. For `POST /reset` and tests. */
    void drop(String name);

    @Override
    void close();
}
