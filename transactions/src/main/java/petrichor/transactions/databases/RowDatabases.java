package petrichor.transactions.databases;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Reads;
import petrichor.kv.WriteBatch;
import petrichor.transactions.Branch;
import petrichor.transactions.Databases;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.log.CommitLog;
import petrichor.transactions.log.CommitPoint;
import petrichor.transactions.log.CommitPoints;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.log.StepMemory;
import petrichor.transactions.migration.MovableCommitPoint;
import petrichor.transactions.rows.RowCache;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.scheduling.Scheduler;
import petrichor.transactions.scheduling.SystemScheduler;

/**
 * The databases of one store, or of a home store and the other stores of its placement,
 * distinguished by a number that prefixes each row key. Thread-safe. Does not close the store.
 */
public final class RowDatabases implements Databases {
    private static final int LOCKS = 256;
    private static final Duration HOUSEKEEPING_PERIOD = Duration.ofSeconds(5);

    private final RoutedStores stores;

    /** The placement rule with which every database here was created. */
    private final String rule;

    private final TransactionLimits limits;
    private final TimeSource time;
    private final RandomGenerator chance;
    private final Catalog catalogue;
    private final CommitPoints commitPoints;
    private final DatabasePlaces places;
    private final Branches branches;
    private final RowCache rowCache;
    private final Scheduler scheduler;
    private volatile Predicate<String> leased = _ -> true;

    /** Read by every request without a lock; changed under the lock of the name. */
    private final Map<String, RowDatabase> open = new ConcurrentHashMap<>();

    /**
     * Opening a database reads the store, which may not answer; only names with the same lock wait.
     */
    private final ReentrantLock[] locks =
            Stream.generate(ReentrantLock::new).limit(LOCKS).toArray(ReentrantLock[]::new);

    private final Scheduler.Chore housekeeping;
    private volatile boolean closed;

    public RowDatabases(KeyValueStore store) {
        this(store, TransactionLimits.DEFAULT, TimeSource.SYSTEM, new java.security.SecureRandom());
    }

    public RowDatabases(RoutedStores stores) {
        this(
                stores,
                TransactionLimits.DEFAULT,
                TimeSource.SYSTEM,
                new java.security.SecureRandom(),
                new SystemScheduler());
    }

    /**
     * @param memory shared with the rest of the process
     */
    public RowDatabases(RoutedStores stores, TransactionLimits limits, TransactionMemory memory) {
        this(
                stores,
                limits,
                memory,
                TimeSource.SYSTEM,
                new java.security.SecureRandom(),
                new SystemScheduler());
    }

    /**
     * @param chance generates the salts that distinguish transaction ids of different databases
     */
    public RowDatabases(
            KeyValueStore store,
            TransactionLimits limits,
            TimeSource time,
            RandomGenerator chance) {
        this(RoutedStores.of(store), limits, time, chance, new SystemScheduler());
    }

    /**
     * Fails with FAILED_PRECONDITION if databases were created with another placement, under which
     * rows would not be found.
     *
     * @param scheduler applies commits to their rows where the store cannot write both at once;
     *     closed with this if it can be closed
     */
    public RowDatabases(
            RoutedStores stores,
            TransactionLimits limits,
            TimeSource time,
            RandomGenerator chance,
            Scheduler scheduler) {
        this(stores, limits, TransactionMemory.unlimited(), time, chance, scheduler);
    }

    RowDatabases(
            RoutedStores stores,
            TransactionLimits limits,
            TransactionMemory memory,
            TimeSource time,
            RandomGenerator chance,
            Scheduler scheduler) {
        this(stores, NamedStores.none(), limits, memory, new Surroundings(time, chance, scheduler));
    }

    /** The clock, chance and threads of the process. */
    public record Surroundings(TimeSource time, RandomGenerator chance, Scheduler scheduler) {
        static Surroundings ofSystem() {
            return new Surroundings(
                    TimeSource.SYSTEM, new java.security.SecureRandom(), new SystemScheduler());
        }
    }

    /**
     * @param destinations stores to which databases can move; not closed with this
     */
    public RowDatabases(
            RoutedStores stores,
            NamedStores destinations,
            TransactionLimits limits,
            TransactionMemory memory) {
        this(stores, destinations, limits, memory, Surroundings.ofSystem());
    }

    public RowDatabases(
            RoutedStores stores,
            NamedStores destinations,
            TransactionLimits limits,
            TransactionMemory memory,
            Surroundings around) {
        TimeSource time = around.time;
        RandomGenerator chance = around.chance;
        Scheduler scheduler = around.scheduler;
        this.stores = stores;
        this.limits = limits.withBatchesUpTo(stores.batchBytesMax());
        this.time = time;
        this.chance = chance;
        this.catalogue = Catalog.of(stores.home());
        this.scheduler = scheduler;
        this.rowCache =
                new RowCache(Math.min(limits.rowCacheBytesMax(), memory.rowCacheBytesMax()));
        this.commitPoints = new CommitPoints(stores, this.limits, memory, scheduler, time, chance);
        this.branches = new Branches(catalogue, stores);
        this.places =
                new DatabasePlaces(
                        stores,
                        commitPoints,
                        destinations,
                        branches,
                        other ->
                                new CommitPoints(
                                        other, this.limits, memory, scheduler, time, chance),
                        chance,
                        time);
        for (KeyValueStore store : stores.all()) {
            store.createTable(TableLayout.META);
            store.createTable(TableLayout.ROWS);
            store.createTable(TableLayout.HISTORY);
        }
        if (!stores.others().isEmpty()
                || stores.home().durableStep() instanceof DurableStep.ConditionalRow) {
            stores.home().createTable(CommitLog.TABLE);
        }
        this.rule = StoreMembership.claim(stores, chance);
        for (String name : Catalog.names(stores.home())) {
            var _ = find(name);
        }
        this.housekeeping = scheduler.repeat(this::tidy, HOUSEKEEPING_PERIOD);
    }

    /**
     * For servers that share the store: the test whether this server still owns a database. Fences
     * order commits regardless of this; but reads check the store more often when another server
     * may have committed, and after a failed step a database is taken back only while it is owned.
     * Call before opening a database.
     */
    public void ownWhile(Predicate<String> lease) {
        leased = lease;
    }

    @Override
    public RowDatabase open(String name) {
        RowDatabase known = open.get(name);
        return known != null && !known.closed() ? known : reopen(name);
    }

    @Override
    public @Nullable RowDatabase openExisting(String name) {
        ReentrantLock lock = locks[lockNumber(name)];
        lock.lock();
        try {
            requireOpen();
            return find(name) == null ? null : openLocked(name);
        } finally {
            lock.unlock();
        }
    }

    private static int lockNumber(String name) {
        return Math.floorMod(name.hashCode(), LOCKS);
    }

    private RowDatabase reopen(String name) {
        ReentrantLock lock = locks[lockNumber(name)];
        lock.lock();
        try {
            return openLocked(name);
        } finally {
            lock.unlock();
        }
    }

    private RowDatabase openLocked(String name) {
        requireOpen();
        Catalog.requireName(name);
        RowDatabase database = open.get(name);
        if (database != null && !database.closed()) {
            return database;
        }
        if (database != null) {
            // Another process took it over; opening it here takes it back.
            database.close();
        }
        Catalog.Entry entry = find(name);
        if (entry == null) {
            entry = catalogue.create(name, chance.nextLong(), rule, null);
            if (entry != null) {
                entry.requireRule(name, rule);
            }
        }
        TableLayout layout = entry.layout();
        database =
                new RowDatabase(
                        new DatabaseIdentity(
                                name,
                                layout,
                                entry.salt(),
                                branches.of(name, entry),
                                () -> branches.heldFrom(layout)),
                        commitPoints,
                        places,
                        () -> leased.test(name),
                        rowCache.ofDatabase(layout),
                        limits,
                        time,
                        scheduler,
                        chance);
        open.put(name, database);
        return database;
    }

    /** Null if it does not exist. */
    private Catalog.@Nullable Entry find(String name) {
        Catalog.Entry entry = catalogue.find(name);
        if (entry != null) {
            entry.requireRule(name, rule);
        }
        return entry;
    }

    /**
     * For servers that share the store, and read its rows: FAILED_PRECONDITION if a database is in
     * another store.
     */
    public void requireHomes() {
        for (String name : names()) {
            Catalog.Entry entry = find(name);
            if (entry != null) {
                places.requireHome(name, new TableLayout(entry.number()));
            }
        }
    }

    /** The stored rows, for readers other than the owner of a database. */
    public Reads storedRows() {
        return stores.reads();
    }

    @Override
    public List<String> names() {
        requireOpen();
        return Catalog.names(stores.home());
    }

    /** From which databases branches read, for readers other than the owner of a branch. */
    public Lineage lineage() {
        return branches;
    }

    @Override
    public List<Branch> branches() {
        requireOpen();
        return branches.all();
    }

    @Override
    public Branch branch(String name, String parent, OptionalLong at) {
        ReentrantLock first = locks[Math.min(lockNumber(name), lockNumber(parent))];
        ReentrantLock second = locks[Math.max(lockNumber(name), lockNumber(parent))];
        first.lock();
        second.lock();
        try {
            requireOpen();
            Catalog.requireName(name);
            return branchLocked(name, parent, at);
        } finally {
            second.unlock();
            first.unlock();
        }
    }

    private Branch branchLocked(String name, String of, OptionalLong at) {
        Catalog.Entry parent = branches.requireCreatable(name, of, find(of));
        TableLayout layout = parent.layout();
        if (places.hasRing(layout)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} has a ring and cannot be branched: a branch reads its"
                            + " parent in the home. Export it and import it into a new database.",
                    "database",
                    of);
        }
        places.requireHome(of, layout);
        RowDatabase database = openLocked(of);
        // Until the branch is stored, its version is kept for the snapshot.
        try (Snapshot shared =
                at.isPresent() ? database.snapshotAt(at.getAsLong()) : database.snapshot()) {
            var _ = database.appliedVersion();
            return branches.create(
                    name,
                    chance.nextLong(),
                    parent,
                    new Catalog.Origin(parent.number(), shared.version(), of),
                    () -> {
                        database.requireOwned();
                        // A migration may have started.
                        places.requireHome(of, layout);
                    });
        }
    }

    @Override
    public void drop(String name) {
        ReentrantLock lock = locks[lockNumber(name)];
        lock.lock();
        try {
            dropLocked(name);
        } finally {
            lock.unlock();
        }
    }

    private void dropLocked(String name) {
        requireOpen();
        Catalog.Entry entry = find(name);
        if (entry != null) {
            branches.requireNone(name, entry.layout());
        }
        RowDatabase database = open.remove(name);
        if (database != null) {
            database.close();
        }
        if (entry == null) {
            return;
        }
        TableLayout layout = new TableLayout(entry.number());
        boolean ring = places.hasRing(layout);
        if (!ring) {
            places.requireHome(name, layout);
        }
        CommitPoint commitPoint =
                ring
                        ? new MovableCommitPoint(places, layout, time, () -> true)
                        : commitPoints.of(layout, () -> true);
        long version;
        try (commitPoint) {
            version = removeRows(name, entry, commitPoint);
        }
        // Rows without a database name are never cleaned up: this must not fail silently.
        commitPoint.awaitApplied(version);
    }

    /** The version of the step that removes them. */
    private long removeRows(String name, Catalog.Entry entry, CommitPoint commitPoint) {
        TableLayout layout = new TableLayout(entry.number());
        CommitPoint.LastCommit last = commitPoint.take().last();
        WriteBatch batch = new WriteBatch();
        catalogue.remove(name, entry, batch);
        batch.deleteRange(TableLayout.META, layout.allMeta())
                .deleteRange(TableLayout.ROWS, layout.allRows())
                .deleteRange(TableLayout.HISTORY, layout.allHistory());
        long version = Math.max(time.epochMicros(), last.version() + 1);
        if (commitPoint.commit(batch, version, StepMemory.NONE) != DurableStep.Outcome.DONE) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "The database could not be dropped: another server uses it, or the store"
                            + " failed. Retry.",
                    "database",
                    name);
        }
        return version;
    }

    /** Closes one database so that another server can open it; opening it here takes it back. */
    public void release(String name) {
        ReentrantLock lock = locks[lockNumber(name)];
        lock.lock();
        try {
            RowDatabase database = open.remove(name);
            if (database != null) {
                database.close();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The databases open in this process; does not wait for a store that does not answer. */
    public List<RowDatabase> openDatabases() {
        return List.copyOf(open.values());
    }

    /** The housekeeping; tests call it directly. */
    void tidy() {
        for (RowDatabase database : openDatabases()) {
            if (!database.closed()) {
                database.tidy();
            }
        }
    }

    private void closeAll(int lockNumber) {
        open.forEach(
                (name, database) -> {
                    if (lockNumber(name) == lockNumber) {
                        database.close();
                        open.remove(name, database);
                    }
                });
    }

    private void requireOpen() {
        if (closed) {
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        }
    }

    @Override
    public void close() {
        housekeeping.close();
        closed = true;
        for (int number = 0; number < LOCKS; number++) {
            // Once its lock is held, a database is open or will never be opened.
            locks[number].lock();
            try {
                closeAll(number);
            } finally {
                locks[number].unlock();
            }
        }
        if (scheduler instanceof SystemScheduler threads) {
            threads.close();
        }
    }
}
