package petrichor.entities.query;

import org.jspecify.annotations.Nullable;
import petrichor.transactions.Row;

/** Iterates over the results of a query in order. Confined to one thread. */
interface Walk extends AutoCloseable {
    boolean next();

    /** The position of this result in the order of the query. */
    byte[] position();

    /** Path of this result's key. */
    byte[] path();

    /** The entity's row of this result if it has been read, else null. */
    @Nullable Row fetched();

    @Override
    void close();
}
