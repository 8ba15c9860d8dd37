package petrichor.cluster;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.SharedVersion;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.databases.LeasedChangeFeed;
import petrichor.transactions.databases.RowDatabase;

/**
 * A database that this server owns while its lease is valid. Ensures that a former owner returns no
 * versions: reads each version first and checks the lease afterwards, so that at the time of the
 * check no other owner had committed anything missing from that version. Commits need no such
 * check, because the store's fence stops them; they are refused early only to save clients time.
 * Thread-safe.
 */
final class LeasedDatabase implements Database {
    private static final long DRAIN_POLL_NANOS = 1_000_000;

    private final RowDatabase rows;
    private final Ownership ownership;

    /** Calls in progress that write, or that start to. */
    private final AtomicInteger underWay = new AtomicInteger();

    private volatile boolean draining;

    LeasedDatabase(RowDatabase rows, Ownership ownership) {
        this.rows = rows;
        this.ownership = ownership;
    }

    RowDatabase rows() {
        return rows;
    }

    /** Nothing was done yet: the owner at the time of the retry can execute it. */
    private void requireLease() {
        if (!ownership.holds(name())) {
            throw new NotSequencedHere(name());
        }
    }

    /** For reads: reports a failure after the database has left this server as not owned. */
    private <T> T read(Supplier<T> work) {
        try {
            return work.get();
        } catch (PetrichorException failed) {
            if (rows.closed()) {
                throw new NotSequencedHere(name());
            }
            requireLease();
            throw failed;
        }
    }

    /** Starts an operation for which a handover must wait; must be followed by {@link #leave}. */
    private void enter() {
        underWay.incrementAndGet();
        if (draining || !ownership.holds(name())) {
            leave();
            throw new NotSequencedHere(name());
        }
    }

    private void leave() {
        underWay.decrementAndGet();
    }

    /**
     * Refuses new commits and transactions, and waits for those in progress; reads and calls of
     * open transactions continue. False if they did not end in time: then {@link #resume} it, or
     * keep waiting.
     */
    boolean drain(Duration max) {
        draining = true;
        long end = System.nanoTime() + max.toNanos();
        while (underWay.get() > 0 || rows.openTransactions() > 0) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(DRAIN_POLL_NANOS);
        }
        return true;
    }

    void resume() {
        draining = false;
    }

    @Override
    public String name() {
        return rows.name();
    }

    @Override
    public Snapshot snapshot() {
        return leased(read(rows::snapshot));
    }

    @Override
    public Snapshot snapshotAt(long version) {
        return leased(read(() -> rows.snapshotAt(version)));
    }

    private Snapshot leased(Snapshot snapshot) {
        try {
            requireLease();
            return snapshot;
        } catch (NotSequencedHere over) {
            snapshot.close();
            throw over;
        }
    }

    /** For a server that reads the store directly. */
    SharedVersion share() {
        SharedVersion version = read(rows::share);
        requireLease();
        return version;
    }

    @Override
    public CompletableFuture<CommitResult> commit(CommitRequest request) {
        enter();
        try {
            return rows.commit(request).whenComplete((_, _) -> leave());
        } catch (RuntimeException refused) {
            leave();
            throw refused;
        }
    }

    @Override
    public MemoryBudget commitMemory() {
        return rows.commitMemory();
    }

    @Override
    public boolean locksInUse() {
        return rows.locksInUse();
    }

    @Override
    public Transaction begin(TransactionOptions options) {
        enter();
        try {
            Transaction transaction = rows.begin(options);
            try {
                requireLease();
                return transaction;
            } catch (NotSequencedHere over) {
                transaction.rollback();
                throw over;
            }
        } finally {
            leave();
        }
    }

    @Override
    public Transaction transaction(TransactionId id) {
        requireLease();
        return read(() -> rows.transaction(id));
    }

    @Override
    public void rollback(TransactionId id) {
        rows.rollback(id);
    }

    @Override
    public long[] allocateIds(int count) {
        enter();
        try {
            return rows.allocateIds(count);
        } finally {
            leave();
        }
    }

    @Override
    public void reserveIds(long... ids) {
        enter();
        try {
            rows.reserveIds(ids);
        } finally {
            leave();
        }
    }

    @Override
    public ChangeFeed changes() {
        return new LeasedChangeFeed(rows.changes(), new FeedGuard());
    }

    private final class FeedGuard implements LeasedChangeFeed.Guard {
        @Override
        public <T> T read(Supplier<T> work) {
            T result = LeasedDatabase.this.read(work);
            requireLease();
            return result;
        }

        @Override
        public <T> T write(Supplier<T> work) {
            enter();
            try {
                return work.get();
            } finally {
                leave();
            }
        }
    }
}
