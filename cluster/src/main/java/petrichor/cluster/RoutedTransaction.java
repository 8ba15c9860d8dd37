package petrichor.cluster;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.rpc.v1.RoutedCommitRequest;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.LockResult;
import petrichor.transactions.LockStrength;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.rows.ReadsAt;
import petrichor.transactions.rows.RecordingCursor;

/**
 * An optimistic transaction on a database of another server: reads one version here, directly from
 * the store, and records what it read; the owner validates the reads, writes the rows and keeps row
 * locks. Has no precedence over others when it is retried. Thread-safe.
 */
final class RoutedTransaction implements Transaction {
    /** Of owners: at least 1. */
    private static final long EPOCH = 0;

    private static final int ENTRY_BYTES = 48;
    private static final long READ_BYTES_MAX = TransactionLimits.DEFAULT.transactionReadBytesMax();
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Database database;
    private final RoutedLocks locks;
    private final Function<RoutedCommitRequest, CompletableFuture<CommitResult>> owner;
    private final TransactionId id =
            new TransactionId(EPOCH, NUMBERS.incrementAndGet(), 0, new TransactionId.Secret(0, 0));

    /** In the order of their versions. */
    private final List<ReadsAt> reads = new ArrayList<>();

    private final Set<RecordingCursor> cursors = new HashSet<>();
    private Snapshot snapshot;
    private boolean readsApart;
    private long bytes;
    private boolean ended;

    /**
     * @param owner executes the commit of a transaction with locks
     */
    RoutedTransaction(
            Database database,
            RoutedLocks locks,
            Function<RoutedCommitRequest, CompletableFuture<CommitResult>> owner) {
        this.database = database;
        this.locks = locks;
        this.owner = owner;
        this.snapshot = database.snapshot();
    }

    static boolean issued(TransactionId id) {
        return id.epoch() == EPOCH;
    }

    @Override
    public TransactionId id() {
        return id;
    }

    @Override
    public boolean readOnly() {
        return false;
    }

    @Override
    public boolean atReadTime() {
        return false;
    }

    @Override
    public synchronized long version() {
        return snapshot.version();
    }

    @Override
    public synchronized @Nullable Row get(byte[] key) {
        record(key);
        return snapshot.get(key);
    }

    @Override
    public synchronized List<@Nullable Row> get(List<byte[]> wanted) {
        wanted.forEach(this::record);
        return snapshot.get(wanted);
    }

    @Override
    public synchronized RowCursor scan(KeyRange range, Direction direction) {
        requireActive();
        long version = snapshot.version();
        RecordingCursor[] self = new RecordingCursor[1];
        RecordingCursor cursor =
                new RecordingCursor(
                        snapshot.scan(range, direction),
                        range,
                        direction,
                        seen -> scanned(self[0], version, seen));
        self[0] = cursor;
        cursors.add(cursor);
        return cursor;
    }

    private synchronized void scanned(RecordingCursor cursor, long version, KeyRange seen) {
        cursors.remove(cursor);
        byte[] to = seen.to();
        charge(seen.from().length + (to == null ? 0 : to.length));
        readsAt(version).ranges().add(seen);
    }

    private void record(byte[] key) {
        requireActive();
        charge(key.length);
        readsAt(snapshot.version()).keys().add(key);
    }

    private ReadsAt readsAt(long version) {
        if (readsApart || reads.isEmpty() || reads.getLast().version() != version) {
            readsApart = false;
            reads.add(new ReadsAt(version, new ArrayList<>(), new ArrayList<>()));
        }
        return reads.getLast();
    }

    private void charge(int length) {
        bytes += ENTRY_BYTES + length;
        if (bytes > READ_BYTES_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "The transaction has read too many rows to track; read fewer in one"
                            + " transaction, or use a read-only transaction.");
        }
    }

    /** It waits for nothing: the owner orders the commits. */
    @Override
    public CompletableFuture<Void> prepare(List<byte[]> read, List<byte[]> written) {
        return CompletableFuture.completedFuture(null);
    }

    /** A lock costs a call to the owner. */
    @Override
    public boolean canLock() {
        return false;
    }

    /** The owner of the database keeps the lock. Waits here. */
    @Override
    public synchronized CompletableFuture<LockResult> lock(
            byte[] key, LockStrength strength, Duration waitMax) {
        requireActive();
        return CompletableFuture.completedFuture(locks.lock(key, strength, waitMax));
    }

    @Override
    public @Nullable Row newest(byte[] key) {
        try (Snapshot newest = database.snapshot()) {
            return newest.get(key);
        }
    }

    @Override
    public synchronized int startReads() {
        requireActive();
        readsApart = true;
        return reads.size();
    }

    @Override
    public synchronized void readAgain(int group) {
        requireActive();
        if (group >= 0) {
            reads.subList(Math.min(group, reads.size()), reads.size()).clear();
            readsApart = true;
        }
        Snapshot former = snapshot;
        snapshot = database.snapshot();
        former.close();
    }

    @Override
    public synchronized void validate(byte[] key) {
        record(key);
    }

    @Override
    public RowReader unvalidated() {
        return new Unrecorded();
    }

    /** Reads at the version of the transaction at the time of each read. */
    private final class Unrecorded implements RowReader {
        @Override
        public long version() {
            return RoutedTransaction.this.version();
        }

        @Override
        public @Nullable Row get(byte[] key) {
            return snapshot().get(key);
        }

        @Override
        public List<@Nullable Row> get(List<byte[]> keys) {
            return snapshot().get(keys);
        }

        @Override
        public RowCursor scan(KeyRange range, Direction direction) {
            return snapshot().scan(range, direction);
        }
    }

    private synchronized Snapshot snapshot() {
        requireActive();
        return snapshot;
    }

    @Override
    public CompletableFuture<CommitResult> commit(
            List<byte[]> conflictKeys, List<RowWrite> writes) {
        CommitRequest request;
        List<ReadsAt> others;
        synchronized (this) {
            requireActive();
            for (RecordingCursor open : List.copyOf(cursors)) {
                KeyRange covered = open.covered();
                if (covered != null) {
                    readsAt(snapshot.version()).ranges().add(covered);
                }
            }
            ended = true;
            snapshot.close();
            long version = snapshot.version();
            others = reads.stream().filter(one -> one.version() != version).toList();
            List<ReadsAt> last = reads.stream().filter(one -> one.version() == version).toList();
            request =
                    new CommitRequest(
                            version,
                            last.stream().flatMap(one -> one.keys().stream()).toList(),
                            last.stream().flatMap(one -> one.ranges().stream()).toList(),
                            conflictKeys,
                            writes);
        }
        if (writes.isEmpty() && (others.isEmpty() || reads.size() == 1)) {
            locks.release();
            return CompletableFuture.completedFuture(
                    new CommitResult.Committed(request.baseVersion()));
        }
        ByteString holder = locks.holder();
        if (holder == null && others.isEmpty()) {
            return database.commit(request);
        }
        RoutedCommitRequest.Builder message = CommitMessages.encode(database.name(), request);
        others.forEach(one -> message.addOtherReads(CommitMessages.encode(one)));
        if (holder != null) {
            message.setHolder(holder);
        }
        return owner.apply(message.build());
    }

    @Override
    public synchronized void rollback() {
        requireActive();
        ended = true;
        snapshot.close();
        locks.release();
    }

    private void requireActive() {
        if (ended) {
            throw PetrichorException.invalid(
                    "The transaction has ended: it was committed or rolled back. Begin a new one.");
        }
        locks.keep();
    }
}
