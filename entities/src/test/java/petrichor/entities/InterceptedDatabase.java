package petrichor.entities;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import petrichor.base.MemoryBudget;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;

/**
 * A database whose plain commits a test intercepts: it may delay one until another event has
 * happened, or refuse it. Commits of transactions are not intercepted.
 */
record InterceptedDatabase(
        Database rows, Function<CommitRequest, CompletableFuture<CommitResult>> commits)
        implements Database {

    @Override
    public CompletableFuture<CommitResult> commit(CommitRequest request) {
        return commits.apply(request);
    }

    @Override
    public String name() {
        return rows.name();
    }

    @Override
    public Snapshot snapshot() {
        return rows.snapshot();
    }

    @Override
    public Snapshot snapshotAt(long version) {
        return rows.snapshotAt(version);
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
        return rows.begin(options);
    }

    @Override
    public Transaction transaction(TransactionId id) {
        return rows.transaction(id);
    }

    @Override
    public void rollback(TransactionId id) {
        rows.rollback(id);
    }

    @Override
    public long[] allocateIds(int count) {
        return rows.allocateIds(count);
    }

    @Override
    public void reserveIds(long... ids) {
        rows.reserveIds(ids);
    }
}
