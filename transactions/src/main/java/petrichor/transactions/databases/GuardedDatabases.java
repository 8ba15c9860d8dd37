package petrichor.transactions.databases;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.transactions.Branch;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;

/**
 * The databases of a store that another process can take over, for a standalone server. Reads the
 * version first and checks the lease on the store afterwards, so that at the time of the check no
 * other process had committed anything missing from that version. Commits need no such check: the
 * store's fences reject them. Thread-safe. Owns the databases below, not the lease.
 */
public final class GuardedDatabases implements Databases {
    private final RowDatabases rows;
    private final StoreLease lease;

    private final LeasedChangeFeed.Guard feedGuard =
            new LeasedChangeFeed.Guard() {
                @Override
                public <T> T read(Supplier<T> work) {
                    T result = work.get();
                    requireLease();
                    return result;
                }

                @Override
                public <T> T write(Supplier<T> work) {
                    requireLease();
                    return work.get();
                }
            };

    public GuardedDatabases(RowDatabases rows, StoreLease lease) {
        this.rows = rows;
        this.lease = lease;
        rows.ownWhile(_ -> lease.valid());
    }

    private void requireLease() {
        if (!lease.valid()) {
            throw lease.refusal();
        }
    }

    /** Requires the lease: opening a database shuts out its owner. */
    @Override
    public Database open(String name) {
        requireLease();
        return new Guarded(rows.open(name));
    }

    @Override
    public @Nullable Database openExisting(String name) {
        requireLease();
        RowDatabase found = rows.openExisting(name);
        return found == null ? null : new Guarded(found);
    }

    @Override
    public List<String> names() {
        return rows.names();
    }

    @Override
    public void drop(String name) {
        requireLease();
        rows.drop(name);
    }

    @Override
    public Branch branch(String name, String parent, OptionalLong at) {
        requireLease();
        return rows.branch(name, parent, at);
    }

    @Override
    public List<Branch> branches() {
        return rows.branches();
    }

    @Override
    public void close() {
        rows.close();
    }

    private final class Guarded implements Database {
        private final RowDatabase database;

        Guarded(RowDatabase database) {
            this.database = database;
        }

        @Override
        public String name() {
            return database.name();
        }

        @Override
        public Snapshot snapshot() {
            return leased(database.snapshot());
        }

        @Override
        public Snapshot snapshotAt(long version) {
            return leased(database.snapshotAt(version));
        }

        private Snapshot leased(Snapshot snapshot) {
            if (lease.valid()) {
                return snapshot;
            }
            snapshot.close();
            throw lease.refusal();
        }

        @Override
        public CompletableFuture<CommitResult> commit(CommitRequest request) {
            requireLease();
            return database.commit(request);
        }

        @Override
        public MemoryBudget commitMemory() {
            return database.commitMemory();
        }

        @Override
        public boolean locksInUse() {
            return database.locksInUse();
        }

        @Override
        public Transaction begin(TransactionOptions options) {
            Transaction transaction = database.begin(options);
            if (lease.valid()) {
                return transaction;
            }
            transaction.rollback();
            throw lease.refusal();
        }

        @Override
        public Transaction transaction(TransactionId id) {
            requireLease();
            return database.transaction(id);
        }

        @Override
        public void rollback(TransactionId id) {
            database.rollback(id);
        }

        @Override
        public long[] allocateIds(int count) {
            return database.allocateIds(count);
        }

        @Override
        public void reserveIds(long... ids) {
            database.reserveIds(ids);
        }

        @Override
        public ChangeFeed changes() {
            return new LeasedChangeFeed(database.changes(), feedGuard);
        }

        /** Identifies this opening of a database, for data cached about it. */
        @Override
        public boolean equals(Object other) {
            return other instanceof Guarded guarded && guarded.database.equals(database);
        }

        @Override
        public int hashCode() {
            return database.hashCode();
        }
    }
}
