package petrichor.transactions;

import java.util.concurrent.CompletableFuture;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/**
 * A database whose rows lie in the tables of a key-value store, with its sequencer in this process.
 * Safe for any thread.
 */
public final class RowDatabase implements Database, AutoCloseable {
    private final String name;
    private final RowLayout layout;
    private final TransactionLimits limits;
    private final TimeSource time;
    private final Committer committer;
    private final TransactionRegistry transactions;
    private final IdAllocator ids;

    /** History before this is gone, or about to go. */
    private volatile long retainedFrom;

    RowDatabase(
            String name,
            int number,
            long salt,
            KeyValueStore store,
            TransactionLimits limits,
            TimeSource time) {
        this.name = name;
        this.layout = new RowLayout(number);
        this.limits = limits;
        this.time = time;
        this.committer =
                new Committer(name, store, number, CommitPoints.of(store, layout), limits, time);
        this.transactions = new TransactionRegistry(limits, salt);
        this.ids = new IdAllocator(layout, store, committer, limits.idBlock());
        byte[] retained = store.get(RowLayout.META, layout.meta('G'));
        this.retainedFrom = retained == null ? 0 : RowLayout.longAt(retained, 0);
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

    private RowSnapshot newestSnapshot() {
        committer.requireOwned();
        return open(committer.readPoints().newest());
    }

    private RowSnapshot open(ReadPoint point) {
        return new RowSnapshot(point, new VersionReader(layout, point, committer::versionCeiling));
    }

    @Override
    public Snapshot snapshotAt(long version) {
        return pastSnapshot(version);
    }

    private RowSnapshot pastSnapshot(long version) {
        committer.requireOwned();
        long now = Math.max(time.epochMicros(), committer.readPoints().newestVersion());
        if (version <= 0) {
            throw PetrichorException.invalid("A read time must be after 1970.");
        }
        if (version > now) {
            throw PetrichorException.invalid(
                    "The read time is "
                            + (version - now) / 1000.0
                            + " ms in the future; read at a time that has passed.");
        }
        ReadPoint point =
                version <= committer.readPoints().newestVersion()
                        ? committer.readPoints().at(version)
                        : committer.pointBeyondNewest(version, now);
        // Checked when the point is known to the collector: either it sees the point, or we see
        // that it has begun.
        long retained = Math.max(retainedFrom, now - limits.retention().toNanos() / 1000);
        if (version < retained) {
            point.leave();
            throw PetrichorException.invalid(
                    "The read time is too old: versions are kept for "
                            + limits.retention().toSeconds()
                            + " s, back to "
                            + java.time.Instant.EPOCH.plus(
                                    retained, java.time.temporal.ChronoUnit.MICROS)
                            + ".");
        }
        return open(point);
    }

    @Override
    public CompletableFuture<CommitResult> commit(CommitRequest request) {
        return submit(CommitIntent.of(request));
    }

    CompletableFuture<CommitResult> submit(CommitIntent intent) {
        long bytes = intent.bytes();
        if (bytes > limits.commitBytesMax()) {
            throw PetrichorException.invalid(
                    "The commit is too large: "
                            + bytes
                            + " bytes with its index entries and history, at most "
                            + limits.commitBytesMax()
                            + " are allowed. Split it.");
        }
        return committer.commit(intent);
    }

    @Override
    public Transaction begin(TransactionOptions options) {
        TransactionId id = transactions.nextId(committer.epoch());
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
                        new ReadSet(limits.transactionReadBytesMax()),
                        time.monotonicNanos());
        transactions.add(transaction);
        return transaction;
    }

    @Override
    public Transaction transaction(TransactionId id) {
        return transactions.find(id, time.monotonicNanos());
    }

    void ended(RowTransaction transaction) {
        transactions.remove(transaction);
    }

    @Override
    public long[] allocateIds(int count) {
        return ids.allocate(count);
    }

    @Override
    public void reserveIds(long... reserved) {
        ids.reserve(reserved);
    }

    public DatabaseMetrics metrics() {
        return committer.metrics(transactions.size());
    }

    /** Ends what has expired and removes history that nobody may read any more. */
    void tidy() {
        transactions.expireOld(time.monotonicNanos());
        long now = time.epochMicros();
        committer.forgetUpTo(now - 2 * limits.transactionTotal().toNanos() / 1000);
        collectHistory(now - limits.retention().toNanos() / 1000);
    }

    private void collectHistory(long keepFrom) {
        if (keepFrom <= 0) {
            return;
        }
        int hour = RowLayout.hourOf(keepFrom);
        if (RowLayout.startOfHour(hour) <= retainedFrom) {
            return;
        }
        long former = retainedFrom;
        // Announced before we look who reads: see pastSnapshot.
        retainedFrom = RowLayout.startOfHour(hour);
        long oldestRead = committer.readPoints().oldest();
        if (oldestRead < retainedFrom) {
            hour = RowLayout.hourOf(oldestRead);
            retainedFrom = Math.max(former, RowLayout.startOfHour(hour));
            if (RowLayout.startOfHour(hour) <= former) {
                return;
            }
        }
        byte[] retained = new byte[Long.BYTES];
        RowLayout.putLong(retained, 0, retainedFrom);
        Futures.join(
                committer.write(
                        new WriteBatch()
                                .deleteRange(RowLayout.HISTORY, layout.historyBefore(hour))
                                .put(RowLayout.META, layout.meta('G'), retained)));
    }

    boolean closed() {
        return !committer.owned();
    }

    @Override
    public void close() {
        transactions.expireAll();
        committer.close();
    }
}
