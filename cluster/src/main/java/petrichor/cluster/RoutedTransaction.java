package petrichor.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.LockResult;
import petrichor.transactions.LockStrength;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.rows.RecordingCursor;

/**
 * An optimistic transaction on a database of another server: reads one version here, directly from
 * the store, and records what it read; the owner validates the reads and writes the rows. Has no
 * precedence over others when it is retried. Thread-safe.
 */
final class RoutedTransaction implements Transaction {
    /** Of owners: at least 1. */
    private static final long EPOCH = 0;

    private static final int ENTRY_BYTES = 48;
    private static final long READ_BYTES_MAX = TransactionLimits.DEFAULT.transactionReadBytesMax();
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Database database;
    private final Snapshot snapshot;
    private final TransactionId id =
            new TransactionId(EPOCH, NUMBERS.incrementAndGet(), 0, new TransactionId.Secret(0, 0));
    private final List<byte[]> keys = new ArrayList<>();
    private final List<KeyRange> ranges = new ArrayList<>();
    private final Set<RecordingCursor> cursors = new HashSet<>();
    private long bytes;
    private boolean ended;

    RoutedTransaction(Database database) {
        this.database = database;
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
    public long version() {
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
        RecordingCursor[] self = new RecordingCursor[1];
        RecordingCursor cursor =
                new RecordingCursor(
                        snapshot.scan(range, direction),
                        range,
                        direction,
                        seen -> scanned(self[0], seen));
        self[0] = cursor;
        cursors.add(cursor);
        return cursor;
    }

    private synchronized void scanned(RecordingCursor cursor, KeyRange seen) {
        cursors.remove(cursor);
        byte[] to = seen.to();
        charge(seen.from().length + (to == null ? 0 : to.length));
        ranges.add(seen);
    }

    private void record(byte[] key) {
        requireActive();
        charge(key.length);
        keys.add(key);
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

    @Override
    public boolean canLock() {
        return false;
    }

    /** Locks are kept by the owner of the database. */
    @Override
    public CompletableFuture<LockResult> lock(byte[] key, LockStrength strength, Duration waitMax) {
        throw new NotSequencedHere(database.name());
    }

    @Override
    public Row newest(byte[] key) {
        throw new NotSequencedHere(database.name());
    }

    @Override
    public int startReads() {
        throw new NotSequencedHere(database.name());
    }

    @Override
    public void readAgain(int group) {
        throw new NotSequencedHere(database.name());
    }

    @Override
    public RowReader unvalidated() {
        return snapshot;
    }

    @Override
    public CompletableFuture<CommitResult> commit(
            List<byte[]> conflictKeys, List<RowWrite> writes) {
        CommitRequest request;
        synchronized (this) {
            requireActive();
            for (RecordingCursor open : List.copyOf(cursors)) {
                KeyRange covered = open.covered();
                if (covered != null) {
                    ranges.add(covered);
                }
            }
            ended = true;
            snapshot.close();
            request =
                    new CommitRequest(
                            snapshot.version(),
                            List.copyOf(keys),
                            List.copyOf(ranges),
                            conflictKeys,
                            writes);
        }
        return writes.isEmpty()
                ? CompletableFuture.completedFuture(new CommitResult.Committed(version()))
                : database.commit(request);
    }

    @Override
    public synchronized void rollback() {
        requireActive();
        ended = true;
        snapshot.close();
    }

    private void requireActive() {
        if (ended) {
            throw PetrichorException.invalid(
                    "The transaction has ended: it was committed or rolled back. Begin a new one.");
        }
    }
}
