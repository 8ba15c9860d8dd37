package petrichor.server;

import java.util.List;
import java.util.Optional;
import petrichor.base.TimeSource;
import petrichor.entities.CompositeIndex;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.entities.IndexDefinition;
import petrichor.entities.query.Queries;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksFigures;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.RowDatabases;

/** The store and what stands on it, opened from the bottom up and closed from the top down. */
record Data(KeyValueStore store, RowDatabases databases, Datastore datastore)
        implements AutoCloseable {

    static Data open(ServerConfig config) {
        List<IndexDefinition> declared =
                config.indexes().file().map(IndexYaml::read).orElse(List.of());
        return on(store(config.store()), config, declared);
    }

    private static KeyValueStore store(ServerConfig.Store config) {
        if (config.url().isPresent()) {
            return StorePlugins.installed().open(config.url().get());
        }
        return config.memory() ? MemoryStore.open() : RocksStore.open(config.data());
    }

    /** Takes the store over, and closes it if nothing can be built on it. */
    static Data on(KeyValueStore store, ServerConfig config, List<IndexDefinition> declared) {
        try {
            return on(store, new RowDatabases(store), config, declared);
        } catch (RuntimeException failed) {
            store.close();
            throw failed;
        }
    }

    private static Data on(
            KeyValueStore store,
            RowDatabases databases,
            ServerConfig config,
            List<IndexDefinition> declared) {
        try {
            return new Data(store, databases, datastore(config, declared, databases));
        } catch (RuntimeException failed) {
            databases.close();
            throw failed;
        }
    }

    private static Datastore datastore(
            ServerConfig config, List<IndexDefinition> declared, RowDatabases databases) {
        return new Datastore(
                new EntityDatabases(databases, declared),
                config.transactions(),
                config.indexes().automatic()
                        ? Queries.MissingIndexes.CREATE
                        : Queries.MissingIndexes.REFUSE,
                TimeSource.SYSTEM);
    }

    /** Those of a database that nobody used yet are none; asking does not make it. */
    List<CompositeIndex> compositeIndexes(String project, String database) {
        String name = database.isEmpty() ? project : project + "/" + database;
        return databases.names().contains(name)
                ? datastore.databases().open(project, database).indexes().newest().all()
                : List.of();
    }

    /** Why it cannot do its work, in a few words. */
    Optional<String> problem() {
        return switch (store) {
            case RocksStore rocks -> Optional.ofNullable(rocks.figures().writesRefused());
            case KeyValueStore _ -> Optional.empty();
        };
    }

    void writeMetrics(StringBuilder out) {
        MetricsPage.gauge(out, "petrichor_databases", "Databases.", databases.names().size());
        DatabaseFigures.write(out, databases.openDatabases());
        if (store instanceof RocksStore rocks) {
            write(out, rocks.figures());
        }
    }

    private static void write(StringBuilder out, RocksFigures figures) {
        MetricsPage.gauge(out, "petrichor_store_bytes", "Files on disk.", figures.diskBytes());
        MetricsPage.gauge(
                out, "petrichor_store_memtable_bytes", "Rows in memory.", figures.memtableBytes());
        MetricsPage.gauge(
                out,
                "petrichor_store_cache_bytes",
                "Block cache in use.",
                figures.blockCacheBytes());
        MetricsPage.gauge(out, "petrichor_store_scans", "Open scans.", figures.openScans());
        MetricsPage.gauge(out, "petrichor_store_views", "Open views.", figures.openViews());
        MetricsPage.counter(out, "petrichor_store_syncs_total", "Synced writes.", figures.writes());
        MetricsPage.counter(
                out,
                "petrichor_store_written_bytes_total",
                "Written in synced writes.",
                figures.writtenBytes());
    }

    @Override
    public void close() {
        try (store) {
            databases.close();
        }
    }
}
