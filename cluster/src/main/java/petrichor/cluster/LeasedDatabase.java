package petrichor.cluster;

import java.util.concurrent.CompletableFuture;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.RowDatabase;
import petrichor.transactions.SharedVersion;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;

/**
 * A database of ours, as long as our lease lasts. Whoever may have been replaced hands out nothing:
 * each version is looked at first and the lease afterwards, so that at the moment of that look no
 * other owner had committed anything that the version lacks. Commits need no such look, the store's
 * fence stops them; they are refused only to tell clients sooner. Safe for any thread.
 */
final class LeasedDatabase implements Database {
    private final RowDatabase rows;
    private final Ownership ownership;

    LeasedDatabase(RowDatabase rows, Ownership ownership) {
        this.rows = rows;
        this.ownership = ownership;
    }

    RowDatabase rows() {
        return rows;
    }

    /** Nothing was done yet: whoever is the owner by then can do it. */
    private void requireLease() {
        if (!ownership.holds(name())) {
            throw new NotSequencedHere(name());
        }
    }

    @Override
    public String name() {
        return rows.name();
    }

    @Override
    public Snapshot snapshot() {
        return leased(rows.snapshot());
    }

    @Override
    public Snapshot snapshotAt(long version) {
        return leased(rows.snapshotAt(version));
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

    /** For a server that reads beside us. */
    SharedVersion share() {
        SharedVersion version = rows.share();
        requireLease();
        return version;
    }

    @Override
    public CompletableFuture<CommitResult> commit(CommitRequest request) {
        requireLease();
        return rows.commit(request);
    }

    @Override
    public boolean locksInUse() {
        return rows.locksInUse();
    }

    @Override
    public Transaction begin(TransactionOptions options) {
        Transaction transaction = rows.begin(options);
        try {
            requireLease();
            return transaction;
        } catch (NotSequencedHere over) {
            transaction.rollback();
            throw over;
        }
    }

    @Override
    public Transaction transaction(TransactionId id) {
        requireLease();
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
