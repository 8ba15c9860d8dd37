package petrichor.server.data;

import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.cluster.ClusterNode;
import petrichor.coordination.Coordination;
import petrichor.entities.CompositeIndex;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.entities.IndexDefinition;
import petrichor.entities.IndexYaml;
import petrichor.entities.query.Queries;
import petrichor.kv.KeyValueStore;
import petrichor.kv.rocksdb.RocksMetrics;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.rpc.Rpc;
import petrichor.server.config.ServerConfig;
import petrichor.server.metrics.MeteredStore;
import petrichor.server.metrics.Readings;
import petrichor.server.metrics.StoreWatch;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.databases.GuardedDatabases;
import petrichor.transactions.databases.NamedStores;
import petrichor.transactions.databases.RowDatabase;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.databases.StoreLease;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.migration.Migration;
import petrichor.transactions.migration.MigrationStatus;

/**
 * The store and the layers above it, opened from the bottom up and closed from the top down.
 *
 * @param destinations further stores, to which databases can move
 * @param watch metrics and probes of the stores
 * @param held versions that branches hold
 * @param lease lease on a store that other processes can reach
 * @param served the databases with the checks that this kind of server needs
 * @param cluster membership of this server, if it belongs to a cluster
 */
public record Data(
        RoutedStores stores,
        NamedStores destinations,
        StoreWatch watch,
        DatabaseCount count,
        HeldVersions held,
        Optional<StoreLease> lease,
        RowDatabases databases,
        Databases served,
        Optional<ClusterNode> cluster,
        Datastore datastore)
        implements AutoCloseable {
    private static final int INDEX_FILE_BYTES_MAX = 1 << 20;

    /** Opens the data with a separate memory budget, for programs that open nothing else. */
    public static Data open(ServerConfig config) {
        return open(config, memory(config));
    }

    private static TransactionMemory memory(ServerConfig config) {
        return TransactionMemory.of(MemoryBudget.ofHeap(config.server().memoryPercent()));
    }

    public static Data open(ServerConfig config, TransactionMemory memory) {
        return open(config, memory, StartProgress.SILENT);
    }

    /**
     * UNAVAILABLE if the store or ZooKeeper does not answer now; the caller may retry.
     *
     * @param progress receives what the start waits for
     */
    public static Data open(ServerConfig config, TransactionMemory memory, StartProgress progress) {
        List<IndexDefinition> declared =
                config.indexes().file().map(Data::declared).orElse(List.of());
        config.cluster().coordination().ifPresent(url -> progress.waitsFor("ZooKeeper at " + url));
        Optional<Coordination> coordination = ClusterStart.coordination(config);
        try {
            config.store().url().ifPresent(url -> progress.waitsFor("the store " + url));
            return on(OpenStores.of(config.store()), memory, coordination, config, declared);
        } catch (RuntimeException failed) {
            coordination.ifPresent(Coordination::close);
            throw failed;
        }
    }

    private static List<IndexDefinition> declared(Path file) {
        try {
            if (Files.size(file) > INDEX_FILE_BYTES_MAX) {
                throw PetrichorException.invalid(
                        "the file {file} is larger than {bytesMax} bytes",
                        "file",
                        file,
                        "bytesMax",
                        INDEX_FILE_BYTES_MAX);
            }
            return IndexYaml.parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw FileProblem.of("cannot read indexes.file " + file, e);
        }
    }

    /** Takes ownership of the store, and closes it if the layers above cannot be opened. */
    public static Data on(
            KeyValueStore store, ServerConfig config, List<IndexDefinition> declared) {
        return on(RoutedStores.of(store), memory(config), Optional.empty(), config, declared);
    }

    public static Data on(
            RoutedStores stores,
            Optional<Coordination> coordination,
            ServerConfig config,
            List<IndexDefinition> declared) {
        return on(stores, memory(config), coordination, config, declared);
    }

    private static Data on(
            RoutedStores stores,
            TransactionMemory memory,
            Optional<Coordination> coordination,
            ServerConfig config,
            List<IndexDefinition> declared) {
        Optional<StoreLease> lease = Optional.empty();
        NamedStores destinations = OpenStores.destinations(config.store());
        try {
            lease = StoreLeases.of(stores.home(), coordination, config);
            RowDatabases databases =
                    new RowDatabases(stores, destinations, config.transactions().limits(), memory);
            return on(stores, destinations, lease, databases, coordination, config, declared);
        } catch (RuntimeException failed) {
            destinations.close();
            lease.ifPresent(StoreLease::close);
            OpenStores.close(stores);
            throw failed;
        }
    }

    private static Data on(
            RoutedStores stores,
            NamedStores destinations,
            Optional<StoreLease> lease,
            RowDatabases databases,
            Optional<Coordination> coordination,
            ServerConfig config,
            List<IndexDefinition> declared) {
        try {
            if (coordination.isPresent()) {
                databases.requireHomes();
            }
            Optional<ClusterNode> cluster =
                    coordination.map(
                            with ->
                                    ClusterStart.node(
                                            with, config, databases, lease.orElseThrow()));
            Databases served =
                    cluster.<Databases>map(ClusterNode::databases)
                            .orElseGet(
                                    () ->
                                            lease.<Databases>map(
                                                            on ->
                                                                    new GuardedDatabases(
                                                                            databases, on))
                                                    .orElse(databases));
            Datastore datastore = datastore(config, declared, served);
            DatabaseCount count = new DatabaseCount(() -> databases.names().size());
            return new Data(
                    stores,
                    destinations,
                    watch(stores),
                    count,
                    new HeldVersions(databases::branches, TimeSource.SYSTEM),
                    lease,
                    databases,
                    served,
                    cluster,
                    datastore);
        } catch (RuntimeException failed) {
            databases.close();
            throw failed;
        }
    }

    private static StoreWatch watch(RoutedStores stores) {
        List<KeyValueStore> all = new ArrayList<>();
        all.add(stores.home());
        stores.others().forEach(other -> all.add(other.store()));
        return StoreWatch.of(all);
    }

    private static Datastore datastore(
            ServerConfig config, List<IndexDefinition> declared, Databases databases) {
        return new Datastore(
                new EntityDatabases(databases, declared),
                config.transactions().concurrency(),
                config.indexes().automatic()
                        ? Queries.MissingIndexes.CREATE
                        : Queries.MissingIndexes.REFUSE,
                TimeSource.SYSTEM);
    }

    public Rpc rpc() {
        return cluster.map(ClusterNode::rpc).orElse(Rpc.STANDALONE);
    }

    /** All databases; another server's commits are forwarded to it. */
    public Databases routed() {
        return cluster.map(ClusterNode::routedDatabases).orElse(served);
    }

    /** Longest value that every store accepts for the rows of services. */
    public int valueBytesMax() {
        return stores.home().capabilities().valueBytesMax();
    }

    /** Empty for a database that was never used; the call does not create it. */
    public List<CompositeIndex> compositeIndexes(String project, String database) {
        if (!exists(project, database)) {
            return List.of();
        }
        try {
            return newestIndexes(project, database);
        } catch (NotSequencedHere ours) {
            // No server owned the database before this call; now this server does.
            return newestIndexes(project, database);
        }
    }

    /**
     * Moves a database to another store. NOT_FOUND if the database does not exist;
     * FAILED_PRECONDITION in a cluster.
     */
    public Migration migration(String database) {
        return movable(database).migration();
    }

    /** A database whose rows this server may move; the same errors. */
    public RowDatabase movable(String database) {
        if (cluster.isPresent()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The databases of a cluster cannot be moved yet: its servers read their store"
                            + " directly. Stop all servers but one, and start that one without"
                            + " cluster.coordination.");
        }
        if (!databases.names().contains(database)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "There is no database {database}; the first commit creates it.",
                    "database",
                    database);
        }
        // Checks the lease on the store.
        var _ = served.open(database);
        return databases.open(database);
    }

    /** Whether the database was ever used. */
    public boolean exists(String project, String database) {
        return databases.names().contains(new DatabaseId(project, database).name());
    }

    private List<CompositeIndex> newestIndexes(String project, String database) {
        return datastore.databases().open(project, database).indexes().newest().all();
    }

    /** The reason why the store cannot serve, in a few words. */
    public Optional<String> problem() {
        return stores.problem().or(watch::problem).or(() -> lease.flatMap(StoreLease::problem));
    }

    /** Whether closing and opening the home store would make it accept writes again. */
    public boolean reopeningHelps() {
        return stores.home().reopeningHelps();
    }

    /** Current metrics of the data. */
    public MetricSnapshots metrics() {
        Readings readings = new Readings();
        readings.gauge("petrichor_databases", "Databases.", count.latest());
        held.add(readings);
        DatabaseReadings.add(readings, databases.openDatabases());
        RingReadings.add(readings, databases.openDatabases());
        MigrationReadings.add(readings, migrations());
        cluster.ifPresent(node -> ClusterReadings.add(readings, node));
        watch.add(readings);
        embedded().ifPresent(rocks -> add(readings, rocks.metrics()));
        return readings.snapshots();
    }

    private Map<String, MigrationStatus> migrations() {
        Map<String, MigrationStatus> migrations = new HashMap<>();
        for (RowDatabase open : databases.openDatabases()) {
            open.migration().status().ifPresent(now -> migrations.put(open.name(), now));
        }
        return migrations;
    }

    private Optional<RocksStore> embedded() {
        return MeteredStore.unwrapped(stores.home()) instanceof RocksStore rocks
                ? Optional.of(rocks)
                : Optional.empty();
    }

    private static void add(Readings readings, RocksMetrics metrics) {
        readings.gauge("petrichor_store_bytes", "Files on disk.", metrics.diskBytes());
        readings.gauge(
                "petrichor_store_memtable_bytes",
                "Memory of rows not yet written to files.",
                metrics.memtableBytes());
        readings.gauge(
                "petrichor_store_cache_bytes", "Block cache in use.", metrics.blockCacheBytes());
        readings.gauge("petrichor_store_scans", "Open scans.", metrics.openScans());
        readings.gauge("petrichor_store_views", "Open views.", metrics.openViews());
        readings.counter("petrichor_store_syncs_total", "Synced writes.", metrics.writes());
        readings.counter(
                "petrichor_store_written_bytes_total",
                "Written in synced writes.",
                metrics.writtenBytes());
    }

    @Override
    public void close() {
        try {
            cluster.ifPresentOrElse(ClusterNode::close, databases::close);
        } finally {
            watch.close();
            lease.ifPresent(StoreLease::close);
            destinations.close();
            OpenStores.close(stores);
        }
    }
}
