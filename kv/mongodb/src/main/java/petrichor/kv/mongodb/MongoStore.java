package petrichor.kv.mongodb;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;

/**
 * A store in MongoDB, or in a server that implements its protocol.
 *
 * <p>Thread-safe; each call takes one of the driver's connections and waits for it at most as long
 * as the address says, and as long again for the response. An unreachable server fails each call
 * and is retried with the next. A write without a response may have been executed, or may be
 * executed late: {@code UNKNOWN}, for the durable step.
 *
 * <p>Deleted rows stay as tombstones for a day, so that late, older changes do not restore them. A
 * Petrichor server that is suspended for longer in the middle of a write, and then resumes, could
 * do so.
 */
public final class MongoStore implements KeyValueStore {
    /** With its value, and a third longer as text, it must fit into a document of 16 MiB. */
    public static final int KEY_BYTES_MAX = 1 << 20;

    public static final int VALUE_BYTES_MAX = 12 << 20;

    /** How long a tombstone is kept. */
    static final Duration TOMBSTONE_AGE = Duration.ofDays(1);

    private static final Duration BETWEEN_PURGES = Duration.ofHours(1);

    /** Concurrent reads of one request for several rows. */
    private static final int READS_AT_ONCE = 8;

    private final MongoConnection connection;
    private final MongoCatalog catalogue;
    private final boolean onlySingleKeys;
    private final Capabilities capabilities;
    private final RowWrites writes;
    private final MongoSlots slots;
    private final InstantSource clock;
    private final AtomicReference<Instant> purged;

    private MongoStore(
            MongoConnection connection,
            MongoCatalog catalogue,
            Duration timeout,
            MongoFitness server,
            Form form) {
        boolean ferret = server.isFerret();
        this.capabilities = new Capabilities(false, server.limits());
        this.connection = connection;
        this.catalogue = catalogue;
        this.onlySingleKeys = ferret;
        this.clock = form.clock;
        this.writes =
                new RowWrites(
                        catalogue,
                        ferret && !form.writesOfMongo
                                ? new VersionedReplacement.InTurn(connection.store(), timeout)
                                : new VersionedReplacement.ByServer(),
                        clock);
        this.slots = new MongoSlots(this, connection, catalogue);
        this.purged = new AtomicReference<>(clock.instant());
    }

    /**
     * For tests.
     *
     * @param writesOfMongo whether to write to FerretDB as if it were MongoDB
     */
    record Form(InstantSource clock, boolean writesOfMongo) {}

    /** See {@link petrichor.kv.StorePlugin#open}. */
    public static MongoStore open(StoreUrl url) {
        return open(url, new Form(InstantSource.system(), false));
    }

    /** See {@link petrichor.kv.StorePlugin#openIfInitialized}. */
    static Optional<KeyValueStore> openIfInitialized(StoreUrl url) {
        MongoAddress address = MongoAddress.of(url);
        try (MongoConnection connection = new MongoConnection(address)) {
            MongoFitness _ = fit(address, connection);
            if (!connection.call(() -> new MongoCatalog(connection).isClaimed())) {
                return Optional.empty();
            }
        }
        return Optional.of(open(url));
    }

    private static MongoFitness fit(MongoAddress address, MongoConnection connection) {
        MongoFitness server =
                new MongoFitness(
                        address.text(),
                        connection.command("hello"),
                        connection.command("buildInfo"));
        server.require(address.onlyServer());
        return server;
    }

    static MongoStore open(StoreUrl url, Form form) {
        MongoAddress address = MongoAddress.of(url);
        MongoConnection connection = new MongoConnection(address);
        try {
            MongoFitness server = fit(address, connection);
            MongoCatalog catalogue = new MongoCatalog(connection);
            connection.run(catalogue::claim);
            return new MongoStore(connection, catalogue, address.timeout(), server, form);
        } catch (RuntimeException failure) {
            connection.close();
            throw failure;
        }
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public Set<String> tables() {
        return connection.call(catalogue::tables);
    }

    @Override
    public void createTable(String table) {
        StoreFailures.requireTableName(table);
        connection.run(() -> catalogue.create(table));
    }

    @Override
    public void dropTable(String table) {
        connection.run(() -> catalogue.drop(table));
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        String text = KeyText.of(key);
        return RowDocument.value(
                connection.call(
                        () -> catalogue.rows(table).find(RowDocument.withKey(text)).first()));
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        MongoCollection<BsonDocument> rows = connection.call(() -> catalogue.rows(table));
        return onlySingleKeys ? eachOf(table, keys) : allOf(rows, keys);
    }

    private List<byte @Nullable []> allOf(MongoCollection<BsonDocument> rows, List<byte[]> keys) {
        List<String> texts = keys.stream().map(KeyText::of).toList();
        Map<String, BsonDocument> found = new HashMap<>();
        connection.run(
                () ->
                        rows.find(Filters.in(RowDocument.KEY, texts))
                                .forEach(row -> found.put(RowDocument.key(row), row)));
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        for (String text : texts) {
            values.add(RowDocument.value(found.get(text)));
        }
        return values;
    }

    /** FerretDB would read the whole table for more than one key. */
    private List<byte @Nullable []> eachOf(String table, List<byte[]> keys) {
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        if (keys.size() <= 1) {
            keys.forEach(key -> values.add(get(table, key)));
            return values;
        }
        Semaphore places = new Semaphore(READS_AT_ONCE);
        List<Future<byte @Nullable []>> asked = new ArrayList<>(keys.size());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (byte[] key : keys) {
                asked.add(
                        threads.submit(
                                () -> {
                                    places.acquire();
                                    try {
                                        return get(table, key);
                                    } finally {
                                        places.release();
                                    }
                                }));
            }
            for (Future<byte @Nullable []> one : asked) {
                values.add(one.get());
            }
            return values;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof PetrichorException known) {
                throw known;
            }
            throw new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw StoreFailures.unreachable(connection.store(), interrupted);
        }
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        StoreFailures.requireLimit(limit);
        return new MongoScan(
                connection, connection.call(() -> catalogue.rows(table)), range, direction, limit);
    }

    @Override
    public void write(WriteBatch batch) {
        change(batch, RowWrites::write);
    }

    /** Checks that all tables exist, then changes one after the other. */
    void change(WriteBatch batch, BiConsumer<RowWrites, TableChanges> change) {
        StoreFailures.requireFits(batch, capabilities);
        connection.requireOpen();
        Collection<TableChanges> tables = TableChanges.of(batch);
        for (TableChanges table : tables) {
            connection.call(() -> catalogue.rows(table.table()));
        }
        for (TableChanges table : tables) {
            connection.run(() -> change.accept(writes, table));
        }
    }

    /** Removes old tombstones once an hour, on a separate thread. */
    void purgeNowAndThen() {
        Instant now = clock.instant();
        Instant last = purged.get();
        if (now.isAfter(last.plus(BETWEEN_PURGES)) && purged.compareAndSet(last, now)) {
            Thread.startVirtualThread(this::purge);
        }
    }

    /** Failures are retried the next time. */
    private void purge() {
        try {
            purgeTombstones();
        } catch (PetrichorException later) {
            System.getLogger(MongoStore.class.getName())
                    .log(System.Logger.Level.WARNING, "tombstones were not removed", later);
        }
    }

    void purgeTombstones() {
        Instant before = clock.instant().minus(TOMBSTONE_AGE);
        for (String table : tables()) {
            connection.run(() -> writes.forgetDeletedBefore(table, before));
        }
        connection.run(() -> catalogue.forgetRangesDeletedBefore(before));
    }

    @Override
    public DurableStep durableStep() {
        return slots;
    }

    @Override
    public long retries() {
        return connection.retries();
    }

    @Override
    public void close() {
        connection.close();
    }
}
