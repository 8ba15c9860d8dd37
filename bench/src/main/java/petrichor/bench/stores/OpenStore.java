package petrichor.bench.stores;

import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import petrichor.base.TimeSource;
import petrichor.bench.WatchedStore;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.entities.ReadContexts;
import petrichor.entities.query.Queries;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.transactions.Database;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.RowDatabases;

/**
 * A store under test, with the layers above it, in this process. Uses a database of its own.
 *
 * @param name in tables
 * @param url empty for a store in this process
 * @param steps observed by {@link PutSteps}
 */
record OpenStore(
        String name,
        Optional<StoreUrl> url,
        KeyValueStore store,
        RowDatabases databases,
        EntityCalls calls,
        PutSteps steps)
        implements AutoCloseable {

    /** Takes ownership of the store, and closes it if it cannot be used. */
    static OpenStore on(String name, KeyValueStore store) {
        return on(name, store, TransactionLimits.DEFAULT);
    }

    static OpenStore on(String name, KeyValueStore store, TransactionLimits limits) {
        return on(name, Optional.empty(), store, limits);
    }

    /** Takes ownership of the store, and closes it if it cannot be used. */
    static OpenStore on(
            String name, Optional<StoreUrl> url, KeyValueStore store, TransactionLimits limits) {
        try {
            PutSteps steps = new PutSteps();
            KeyValueStore watched = new WatchedStore(store, steps);
            RowDatabases databases =
                    new RowDatabases(watched, limits, TimeSource.SYSTEM, new SecureRandom());
            Datastore datastore =
                    new Datastore(
                            new EntityDatabases(steps.watch(databases), List.of(Families.INDEX)),
                            ReadContexts.Concurrency.OPTIMISTIC,
                            Queries.MissingIndexes.REFUSE,
                            TimeSource.SYSTEM);
            // Unique, to coexist with other data in the store.
            String project = "bench-" + UUID.randomUUID();
            return new OpenStore(
                    name, url, watched, databases, new EntityCalls(datastore, project), steps);
        } catch (RuntimeException failed) {
            store.close();
            throw failed;
        }
    }

    /** The rows below the entities, for measurements without the entity layer. */
    Database rows() {
        return databases.open(calls.project());
    }

    /**
     * The same databases without a row cache, whose reads go to the store. Close it before the
     * database is used otherwise.
     */
    RowDatabases withoutRowCache() {
        databases.open(calls.project()).close();
        return new RowDatabases(
                store,
                TransactionLimits.DEFAULT.withRowCache(0),
                TimeSource.SYSTEM,
                new SecureRandom());
    }

    /** Removes the database, for a store that outlives the run. */
    void drop() {
        databases.drop(calls.project());
    }

    @Override
    public void close() {
        try (store) {
            databases.close();
        }
    }
}
