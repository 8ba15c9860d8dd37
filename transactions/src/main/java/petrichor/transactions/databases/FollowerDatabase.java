package petrichor.transactions.databases;

import java.util.concurrent.CompletableFuture;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Reads;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.SharedVersion;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.VersionSource;

/**
 * A follower: a database whose sequencer runs in another server, read directly from the store at
 * versions that its owner provides. Refuses everything that needs the sequencer with {@link
 * NotSequencedHere}. Thread-safe; owns nothing.
 *
 * <p>The owner does not know of readers here. History stays available for the retention period; a
 * read that takes longer is refused.
 */
public final class FollowerDatabase implements Database {
    private final String name;
    private final Reads store;
    private final VersionSource versions;
    private final TimeSource time;

    public FollowerDatabase(String name, Reads store, VersionSource versions, TimeSource time) {
        this.name = name;
        this.store = store;
        this.versions = versions;
        this.time = time;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean sequencedHere() {
        return false;
    }

    @Override
    public Snapshot snapshot() {
        SharedVersion newest = versions.newest();
        return new FollowerSnapshot(newest, newest.version(), store, time);
    }

    @Override
    public Snapshot snapshotAt(long version) {
        if (version <= 0) {
            throw PetrichorException.invalid("A read time must be after 1970.");
        }
        SharedVersion newest = versions.newest();
        if (version > newest.version()) {
            // Only the owner can promise that no further commit gets this version or a lower one.
            throw new NotSequencedHere(name);
        }
        FollowerSnapshot snapshot = new FollowerSnapshot(newest, version, store, time);
        snapshot.requireRetained();
        return snapshot;
    }

    @Override
    public CompletableFuture<CommitResult> commit(CommitRequest request) {
        throw new NotSequencedHere(name);
    }

    @Override
    public MemoryBudget commitMemory() {
        throw new NotSequencedHere(name);
    }

    @Override
    public boolean locksInUse() {
        throw new NotSequencedHere(name);
    }

    @Override
    public Transaction begin(TransactionOptions options) {
        throw new NotSequencedHere(name);
    }

    @Override
    public Transaction transaction(TransactionId id) {
        throw new NotSequencedHere(name);
    }

    @Override
    public void rollback(TransactionId id) {
        throw new NotSequencedHere(name);
    }

    @Override
    public long[] allocateIds(int count) {
        throw new NotSequencedHere(name);
    }

    @Override
    public void reserveIds(long... ids) {
        throw new NotSequencedHere(name);
    }
}
