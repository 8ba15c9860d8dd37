package petrichor.cluster;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.rpc.Routing;
import petrichor.rpc.v1.RoutedCommitRequest;
import petrichor.transactions.Branch;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;

/**
 * All databases as if this server owned them: snapshots are read here, and commits are executed by
 * the owner, wherever it is. For services whose requests take so long, or transfer so much, that
 * forwarding the request itself is no option. An optimistic transaction reads here and is validated
 * by the owner, wherever it is, which also keeps its row locks; pessimistic transactions, and ids,
 * need the owner. Thread-safe; owns nothing.
 */
final class RoutedDatabases implements Databases {
    private static final Duration COMMIT_MAX = Duration.ofSeconds(30);

    /** A change of owner takes no longer; see the cluster's lease. */
    private static final Duration OWNER_MAX = Duration.ofSeconds(30);

    private static final long RETRY_AFTER_NANOS = 20_000_000;

    private final ClusterDatabases databases;
    private final CommitService commits;
    private final LockService locks;
    private final Routing routing;

    RoutedDatabases(
            ClusterDatabases databases, CommitService commits, LockService locks, Routing routing) {
        this.databases = databases;
        this.commits = commits;
        this.locks = locks;
        this.routing = routing;
    }

    @Override
    public Database open(String name) {
        return new Routed(name);
    }

    @Override
    public List<String> names() {
        return databases.names();
    }

    @Override
    public void drop(String name) {
        databases.drop(name);
    }

    @Override
    public Branch branch(String name, String parent, OptionalLong at) {
        return databases.branch(name, parent, at);
    }

    @Override
    public List<Branch> branches() {
        return databases.branches();
    }

    @Override
    public void close() {}

    private final class Routed implements Database {
        private final String name;

        Routed(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean sequencedHere() {
            try {
                return databases.open(name).sequencedHere();
            } catch (NotSequencedHere moving) {
                return false;
            }
        }

        /** Repeated while the ownership changes. */
        private <T> T read(Function<Database, T> work) {
            long end = System.nanoTime() + OWNER_MAX.toNanos();
            while (true) {
                try {
                    return work.apply(databases.open(name));
                } catch (NotSequencedHere moving) {
                    Cancellation.checkCurrent();
                    if (System.nanoTime() - end > 0) {
                        throw PetrichorException.of(
                                ErrorCode.UNAVAILABLE,
                                moving,
                                "the database '{database}' has found no owner in time; retry"
                                        + " later",
                                "database",
                                name);
                    }
                    LockSupport.parkNanos(RETRY_AFTER_NANOS);
                }
            }
        }

        @Override
        public Snapshot snapshot() {
            return read(Database::snapshot);
        }

        @Override
        public Snapshot snapshotAt(long version) {
            return read(database -> database.snapshotAt(version));
        }

        @Override
        public CompletableFuture<CommitResult> commit(CommitRequest request) {
            try {
                Database here = databases.open(name);
                if (here.sequencedHere()) {
                    return here.commit(request);
                }
            } catch (NotSequencedHere moved) {
                // The router finds the new owner.
            }
            return commit(CommitMessages.encode(name, request).build());
        }

        private CompletableFuture<CommitResult> commit(RoutedCommitRequest message) {
            return routing.call(
                            new CommitCall(
                                    message,
                                    () -> commits.executed(message),
                                    Cancellation.after(COMMIT_MAX.toNanos())))
                    .thenApply(CommitMessages::decode);
        }

        @Override
        public MemoryBudget commitMemory() {
            return databases.open(name).commitMemory();
        }

        @Override
        public boolean locksInUse() {
            return databases.open(name).locksInUse();
        }

        @Override
        public Transaction begin(TransactionOptions options) {
            TransactionId previous =
                    options instanceof TransactionOptions.Optimistic(var lost) ? lost : null;
            if (previous != null && RoutedTransaction.issued(previous)) {
                return begin(new TransactionOptions.Optimistic(null));
            }
            try {
                Database here = databases.open(name);
                if (here.sequencedHere()) {
                    return begin(here, options, previous);
                }
            } catch (NotSequencedHere moving) {
                // It reads here, and its commit finds the owner.
            }
            return switch (options) {
                case TransactionOptions.Optimistic _ ->
                        new RoutedTransaction(
                                this, new RoutedLocks(name, routing, locks), this::commit);
                case TransactionOptions.Pessimistic _, TransactionOptions.ReadOnly _ ->
                        databases.open(name).begin(options);
            };
        }

        /** The precedence of a retry is lost with the owner that issued its id. */
        private static Transaction begin(
                Database here, TransactionOptions options, @Nullable TransactionId previous) {
            try {
                return here.begin(options);
            } catch (PetrichorException unknown) {
                if (previous == null) {
                    throw unknown;
                }
                return here.begin(new TransactionOptions.Optimistic(null));
            }
        }

        @Override
        public Transaction transaction(TransactionId id) {
            return databases.open(name).transaction(id);
        }

        @Override
        public void rollback(TransactionId id) {
            databases.open(name).rollback(id);
        }

        @Override
        public ChangeFeed changes() {
            return databases.open(name).changes();
        }

        @Override
        public long[] allocateIds(int count) {
            return databases.open(name).allocateIds(count);
        }

        @Override
        public void reserveIds(long... ids) {
            databases.open(name).reserveIds(ids);
        }
    }
}
