package petrichor.transactions.databases;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.DatabaseMetrics;
import petrichor.transactions.RowWrite;
import petrichor.transactions.SharedVersion;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.changes.Consumers;
import petrichor.transactions.changes.RowChangeFeed;
import petrichor.transactions.commit.CommitCounters;
import petrichor.transactions.commit.CommitIntent;
import petrichor.transactions.commit.DurableSteps;
import petrichor.transactions.commit.GroupCommit;
import petrichor.transactions.commit.IdAllocator;
import petrichor.transactions.commit.ReadPoints;
import petrichor.transactions.commit.RowSnapshot;
import petrichor.transactions.locks.AccessSet;
import petrichor.transactions.locks.AccessSets;
import petrichor.transactions.locks.LockOutcome;
import petrichor.transactions.locks.LockTable;
import petrichor.transactions.locks.LockWaits;
import petrichor.transactions.log.CommitPoints;
import petrichor.transactions.migration.Migration;
import petrichor.transactions.migration.MigrationContext;
import petrichor.transactions.migration.MigrationStores;
import petrichor.transactions.migration.MovableCommitPoint;
import petrichor.transactions.ring.Ring;
import petrichor.transactions.rows.CachedRows;
import petrichor.transactions.rows.ParentRows;
import petrichor.transactions.rows.ReadPoint;
import petrichor.transactions.rows.ReadSet;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.rows.VersionReader;
import petrichor.transactions.scheduling.Scheduler;

/**
 * A database in the tables of a key-value store, with its sequencer in this process. Thread-safe.
 */
public final class RowDatabase implements Database, AutoCloseable {
    /**
     * A commit without a transaction has closed its snapshot while it waits for the sequencer; the
     * conflict window keeps recent writes for this long on its behalf. A commit that waits longer
     * is validated against the store.
     */
    private static final long IN_FLIGHT_MICROS = 2_000_000;

    /** Maximum age of a read version for other servers: half an hour. */
    private static final long SHARED_AGE_MICROS_MAX = 1_800_000_000;

    /** Maximum assumed difference between the clock of the next owner and this one. */
    private static final long OWNERS_CLOCKS_APART_MICROS = 60_000_000;

    private final String name;
    private final TableLayout layout;
    private final @Nullable ParentRows parent;
    private final CommitSize size;
    private final TransactionLimits limits;
    private final TimeSource time;
    private final CommitCounters counters = new CommitCounters();
    private final DurableSteps steps;
    private final GroupCommit commits;
    private final TransactionRegistry transactions;
    private final IdAllocator ids;
    private final LockWaits locks;
    private final AccessSets accessSets;
    private final PriorityLocks priority;
    private final CachedRows cached;

    private final TransactionMemory memory;

    /** No future commit will have a version up to this one; 0 if that was never guaranteed. */
    private volatile long promisedVersion;

    private final Retention retention;
    private final RowChangeFeed changes;
    private final Migration migration;
    private final Ring ring;

    RowDatabase(
            DatabaseIdentity identity,
            CommitPoints commitPoints,
            MigrationStores places,
            BooleanSupplier leased,
            CachedRows cached,
            TransactionLimits limits,
            TimeSource time,
            Scheduler scheduler,
            RandomGenerator chance) {
        this.name = identity.name();
        this.cached = cached;
        this.layout = identity.layout();
        this.parent = identity.parent();
        this.size = CommitSize.of(limits, commitPoints.stores());
        this.memory = commitPoints.memory();
        this.limits = limits;
        this.time = time;
        AtomicReference<@Nullable MovableCommitPoint> point = new AtomicReference<>();
        this.steps =
                new DurableSteps(
                        name,
                        layout,
                        commitPoints,
                        alone -> {
                            MovableCommitPoint opened =
                                    new MovableCommitPoint(places, layout, time, alone);
                            point.set(opened);
                            return opened;
                        },
                        leased,
                        cached,
                        counters,
                        limits,
                        time);
        this.commits = new GroupCommit(name, steps, counters, limits, memory.queued(), scheduler);
        this.transactions = new TransactionRegistry(limits, identity.salt(), steps.epoch(), chance);
        this.ids = new IdAllocator(layout, steps.rows(), commits, limits.idBlock(), parent);
        this.locks = new LockWaits(limits, time, scheduler, transactions::nextNumber);
        this.accessSets = new AccessSets(limits.accessSetsMax());
        this.priority = new PriorityLocks(locks, commits);
        Consumers consumers = new Consumers(name, layout, steps.rows(), commits::write);
        this.retention =
                new Retention(layout, steps, commits, consumers, identity.branchesFrom(), limits);
        this.changes =
                new RowChangeFeed(
                        layout,
                        steps.changeLog(),
                        new FeedSource(steps, retention, this::versionCeiling),
                        commits.signal(),
                        consumers,
                        time);
        MigrationContext context =
                new MigrationContext(
                        name,
                        layout,
                        new MigrationContext.Steps(
                                Objects.requireNonNull(point.get()), steps, commits),
                        this::versionCeiling,
                        places,
                        new MigrationContext.Surroundings(limits, time, scheduler));
        this.migration = new Migration(context);
        this.ring = new Ring(context);
    }

    @Override
    public String name() {
        return name;
    }

    int number() {
        return layout.database();
    }

    TimeSource time() {
        return time;
    }

    @Override
    public Snapshot snapshot() {
        return newestSnapshot();
    }

    RowSnapshot newestSnapshot() {
        steps.requireOwned();
        return open(steps.readPoints().newest());
    }

    /**
     * A version that contains every commit acknowledged before the call and that is complete in the
     * store itself: for servers that read the store directly. May wait for the store; UNAVAILABLE
     * if that takes too long.
     */
    public long appliedVersion() {
        steps.requireOwned();
        return steps.appliedVersion();
    }

    void requireOwned() {
        steps.requireOwned();
    }

    private RowSnapshot open(ReadPoint point) {
        return new RowSnapshot(
                point, new VersionReader(layout, point, this::versionCeiling, cached, parent));
    }

    /** Once other servers may commit, bounded by what their clocks may show. */
    private long versionCeiling() {
        long ours = steps.versionCeiling();
        return steps.owned()
                ? ours
                : Math.max(ours, time.epochMicros() + OWNERS_CLOCKS_APART_MICROS);
    }

    @Override
    public Snapshot snapshotAt(long version) {
        return pastSnapshot(version);
    }

    private RowSnapshot pastSnapshot(long version) {
        steps.requireOwned();
        long now = Math.max(time.epochMicros(), steps.readPoints().newestVersion());
        if (version <= 0) {
            throw PetrichorException.invalid("A read time must be after 1970.");
        }
        if (version > now) {
            throw PetrichorException.invalid(
                    "The read time is {version} ms in the future; use a time in the past.",
                    "version",
                    (version - now) / 1000.0);
        }
        ReadPoint point =
                version <= steps.readPoints().newestVersion()
                        ? steps.readPoints().at(version)
                        : steps.pointBeyondNewest(version, now);
        // Checked after the read view is registered: either the collector sees the view, or we see
        // that the collector has started.
        long retained = Math.max(retention.from(), now - limits.retention().toNanos() / 1000);
        if (version < retained) {
            point.leave();
            throw PetrichorException.invalid(
                    "The read time is too old: versions are kept for {retention} s, back to"
                            + " {since}.",
                    "retention",
                    limits.retention().toSeconds(),
                    "since",
                    java.time.Instant.EPOCH.plus(retained, java.time.temporal.ChronoUnit.MICROS));
        }
        return open(point);
    }

    @Override
    public ChangeFeed changes() {
        return changes;
    }

    /** Moves this database to another store. */
    public Migration migration() {
        return migration;
    }

    /** Distributes ranges of this database over several stores. */
    public Ring ring() {
        return ring;
    }

    /** Waits for locks if any are held, for a bounded time and without blocking a thread. */
    @Override
    public CompletableFuture<CommitResult> commit(CommitRequest request) {
        CommitIntent intent = stored(CommitIntent.of(request));
        requireFits(intent);
        if (locks.enterWithoutLocks()) {
            try {
                return commits.commit(intent).whenComplete((_, _) -> locks.leaveWithoutLocks());
            } catch (RuntimeException refused) {
                locks.leaveWithoutLocks();
                throw refused;
            }
        }
        LockTable.Owner owner = new LockTable.Owner();
        return lockForWriting(owner, intent.writes())
                .thenCompose(
                        outcome ->
                                switch (outcome) {
                                    case GRANTED -> commits.commit(intent);
                                    case TIMED_OUT, DEADLOCK ->
                                            CompletableFuture.completedFuture(waitedTooLong());
                                    case TAKEN ->
                                            CompletableFuture.completedFuture(
                                                    contention(intent.writes()));
                                })
                .whenComplete((_, _) -> locks.release(owner));
    }

    @Override
    public MemoryBudget commitMemory() {
        return memory.queued();
    }

    @Override
    public boolean locksInUse() {
        return !locks.idle();
    }

    CompletableFuture<CommitResult> enqueue(CommitIntent intent) {
        return commits.commit(intent);
    }

    void requireFits(CommitIntent intent) {
        size.require(intent);
    }

    /** The commit in the form in which it is stored. */
    CommitIntent stored(CommitIntent intent) {
        return layout.isBranch() ? BranchWrites.stored(layout, intent) : intent;
    }

    CompletableFuture<LockOutcome> lockForWriting(LockTable.Owner owner, List<RowWrite> writes) {
        List<LockTable.Lock> wanted = new ArrayList<>(writes.size());
        for (RowWrite write : writes) {
            wanted.add(LockTable.exclusive(owner, write.key()));
        }
        return locks.acquireToCommit(wanted);
    }

    /** Final: only the client may retry. */
    static CommitResult.Refused waitedTooLong() {
        return new CommitResult.Refused(
                PetrichorException.of(
                        ErrorCode.ABORTED,
                        "Too much contention: another transaction holds a lock on a row to be"
                                + " written; nothing was written. Retry with backoff."));
    }

    CommitResult contention(List<RowWrite> writes) {
        byte[] key = writes.isEmpty() ? new byte[0] : writes.getFirst().key();
        return new CommitResult.Conflict(key, steps.readPoints().newestVersion());
    }

    LockWaits locks() {
        return locks;
    }

    AccessSets accessSets() {
        return accessSets;
    }

    PriorityLocks priority() {
        return priority;
    }

    /**
     * A retry that names its previous attempt waits here until it holds locks on the rows that the
     * attempt accessed, oldest first; after that no other transaction conflicts with it.
     */
    @Override
    public Transaction begin(TransactionOptions options) {
        AccessSet former =
                switch (options) {
                    case TransactionOptions.Optimistic(var previous) -> accessSetOf(previous);
                    case TransactionOptions.Pessimistic(var previous) -> accessSetOf(previous);
                    case TransactionOptions.ReadOnly _ -> null;
                };
        TransactionId id = transactions.nextId(steps.epoch());
        LockTable.Owner owner =
                former == null ? new LockTable.Owner() : new LockTable.Owner(former.age());
        try {
            if (former != null) {
                priority.acquire(owner, former, options instanceof TransactionOptions.Optimistic);
            }
            RowSnapshot snapshot =
                    options instanceof TransactionOptions.ReadOnly(long readTime) && readTime != 0
                            ? pastSnapshot(readTime)
                            : newestSnapshot();
            RowTransaction transaction =
                    new RowTransaction(
                            id,
                            options,
                            this,
                            snapshot,
                            new ReadSet(limits.transactionReadBytesMax(), memory.readSets()),
                            owner,
                            time.monotonicNanos());
            transactions.add(transaction);
            return transaction;
        } catch (RuntimeException failed) {
            locks.release(owner);
            throw failed;
        }
    }

    private @Nullable AccessSet accessSetOf(@Nullable TransactionId previous) {
        if (previous == null) {
            return null;
        }
        transactions.requireOurs(previous);
        RowTransaction underWay = transactions.peek(previous);
        return underWay == null ? accessSets.take(previous) : underWay.supersede();
    }

    @Override
    public Transaction transaction(TransactionId id) {
        return transactions.find(id, time.monotonicNanos());
    }

    @Override
    public void rollback(TransactionId id) {
        transactions.rollback(id);
    }

    void ended(RowTransaction transaction, LockTable.Owner owner) {
        transactions.remove(transaction);
        if (!locks.idle()) {
            locks.release(owner);
        }
    }

    @Override
    public long[] allocateIds(int count) {
        return ids.allocate(count);
    }

    @Override
    public void reserveIds(long... reserved) {
        ids.reserve(reserved);
    }

    /**
     * For another server that reads the store directly. Waits until the store shows the whole
     * version. For a database that has been idle for long, promises a newer version: at its newest
     * commit, readers would have to search the history of all the hours since.
     */
    public SharedVersion share() {
        long now = time.epochMicros();
        long version = Math.max(appliedVersion(), promisedVersion);
        if (version < now - SHARED_AGE_MICROS_MAX) {
            steps.pointBeyondNewest(now, now).leave();
            promisedVersion = now;
            version = now;
        }
        return new SharedVersion(
                number(), version, Math.max(now, version), limits.retention().toNanos() / 1_000);
    }

    public DatabaseMetrics metrics() {
        ReadPoints points = steps.readPoints();
        return new DatabaseMetrics(
                counters.commits(),
                counters.conflicts(),
                counters.refusals(),
                counters.syncs(),
                counters.groupCommitsMax(),
                counters.recoveries(),
                commits.queuedBytes(),
                transactions.size(),
                locks.waits(),
                points.newestVersion(),
                Math.min(points.oldest(), points.newestVersion()),
                steps.windowSize());
    }

    /** Ends expired transactions and removes history that can no longer be read. */
    void tidy() {
        transactions.expireOld(time.monotonicNanos());
        steps.refreshView();
        long now = time.epochMicros();
        steps.forgetUpTo(Math.min(now - IN_FLIGHT_MICROS, steps.readPoints().oldest()));
        retention.collect(now);
        migration.tidy();
        ring.tidy();
    }

    /** Whether another owner may have taken it over, or it was closed here; permanent. */
    public boolean closed() {
        return !steps.owned();
    }

    /** Number of open transactions started by this owner. */
    public int openTransactions() {
        return transactions.size();
    }

    @Override
    public void close() {
        migration.close();
        ring.close();
        transactions.expireAll();
        locks.close();
        steps.close();
        commits.close();
    }
}
