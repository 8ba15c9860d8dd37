package petrichor.transactions.databases;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
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
import petrichor.transactions.rows.ParentRows;

/**
 * A follower: a database whose sequencer runs in another server, read directly from the store at
 * versions that its owner provides. Refuses everything that needs the sequencer with {@link
 * NotSequencedHere}. Thread-safe; owns nothing.
 *
 * <p>The owner does not know of readers here. History stays available for the retention period; a
 * read that takes longer is refused.
 */
public final class FollowerDatabase implements Database {
    /** What the database of this number shares with its parent; null if it is not a branch. */
    private record Shared(int number, @Nullable ParentRows rows) {}

    private final String name;
    private final Reads store;
    private final Lineage lineage;
    private final VersionSource versions;
    private final TimeSource time;
    private volatile @Nullable Shared known;

    /**
     * @param lineage from which databases it reads if it is a branch
     */
    public FollowerDatabase(
            String name, Reads store, Lineage lineage, VersionSource versions, TimeSource time) {
        this.name = name;
        this.store = store;
        this.lineage = lineage;
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
        return snapshot(newest, newest.version());
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
        FollowerSnapshot snapshot = snapshot(newest, version);
        snapshot.requireRetained();
        return snapshot;
    }

    private FollowerSnapshot snapshot(SharedVersion newest, long version) {
        return new FollowerSnapshot(newest, version, store, shared(newest.number()), time);
    }

    /** The catalog is read once for each number that the database has had. */
    private @Nullable ParentRows shared(int number) {
        Shared now = known;
        if (now == null || now.number != number) {
            now = new Shared(number, lineage.of(name, number));
            known = now;
        }
        return now.rows;
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
