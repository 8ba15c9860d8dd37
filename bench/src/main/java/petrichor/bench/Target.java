package petrichor.bench;

import com.google.datastore.v1.Entity;
import java.util.List;

/** A server under the mix of operations, through any protocol. Safe for any thread. */
interface Target extends AutoCloseable {
    void put(List<Entity> entities);

    void get(long number);

    /** Queries the entities of one group; {@code expected} of them. */
    void query(long group, int expected);

    /** Starts a transaction, reads one entity, writes it, commits. */
    void transaction(long number, long revision);

    @Override
    void close();
}
