package petrichor.transactions.databases;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.LockResult;
import petrichor.transactions.LockStrength;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.commit.CommitIntent;
import petrichor.transactions.commit.RowSnapshot;
import petrichor.transactions.locks.AccessSet;
import petrichor.transactions.locks.LockOutcome;
import petrichor.transactions.locks.LockTable;
import petrichor.transactions.rows.ReadSet;
import petrichor.transactions.rows.RecordingCursor;

/** A transaction of a {@link RowDatabase}. Thread-safe; its monitor serializes its requests. */
final class RowTransaction implements Transaction {
    private enum State {
        ACTIVE,
        /** Its commit waits for locks: it accepts no requests but can still be ended. */
        LOCKING,
        /** Submitted to the sequencer: it can no longer be stopped. */
        COMMITTING,
        ENDED
    }

    private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);

    private final TransactionId id;
    private final TransactionOptions options;
    private final RowDatabase database;
    private final long beganNanos;
    private final ReadSet reads;
    private final LockTable.Owner owner;
    private final Set<RecordingCursor> cursors = new HashSet<>();

    private State state = State.ACTIVE;
    private RowSnapshot snapshot;

    /** It has read rows that no lock protects: it continues to read at that version. */
    private boolean versionIsFixed;

    /** It has had its turn, or needs none: reads no longer wait. */
    private boolean prepared;

    private volatile long usedNanos;

    RowTransaction(
            TransactionId id,
            TransactionOptions options,
            RowDatabase database,
            RowSnapshot snapshot,
            ReadSet reads,
            LockTable.Owner owner,
            long nowNanos) {
        this.id = id;
        this.options = options;
        this.database = database;
        this.snapshot = snapshot;
        this.reads = reads;
        this.owner = owner;
        this.beganNanos = nowNanos;
        this.usedNanos = nowNanos;
    }

    @Override
    public TransactionId id() {
        return id;
    }

    @Override
    public boolean readOnly() {
        return options instanceof TransactionOptions.ReadOnly;
    }

    @Override
    public boolean atReadTime() {
        return options instanceof TransactionOptions.ReadOnly(long readTime) && readTime != 0;
    }

    @Override
    public synchronized long version() {
        return snapshot.version();
    }

    void touch(long nowNanos) {
        usedNanos = nowNanos;
    }

    boolean expired(long nowNanos, TransactionLimits limits) {
        return nowNanos - usedNanos > limits.transactionIdle().toNanos()
                || nowNanos - beganNanos > limits.transactionTotal().toNanos();
    }

    @Override
    public synchronized @Nullable Row get(byte[] key) {
        requireActive();
        if (!readOnly()) {
            prepareToRead(List.of(key));
            reads.key(snapshot.version(), key);
        }
        return snapshot.get(key);
    }

    @Override
    public synchronized List<@Nullable Row> get(List<byte[]> keys) {
        requireActive();
        if (!readOnly()) {
            prepareToRead(keys);
            for (byte[] key : keys) {
                reads.key(snapshot.version(), key);
            }
        }
        return snapshot.get(keys);
    }

    private void prepareToRead(List<byte[]> keys) {
        switch (options) {
            case TransactionOptions.Pessimistic _ -> lockForReading(keys);
            case TransactionOptions.Optimistic _ -> {
                if (takesTurns() && database.priority().takeTurn(owner, keys).join()) {
                    readNewest();
                }
            }
            case TransactionOptions.ReadOnly _ -> {}
        }
    }

    private boolean takesTurns() {
        return reads.isEmpty() && !versionIsFixed && !prepared;
    }

    private void readNewest() {
        RowSnapshot former = snapshot;
        snapshot = database.newestSnapshot();
        former.close();
    }

    /**
     * With locks, each read sees the newest version: earlier reads are locked and have not changed.
     * This ends when locks are lost, and with a scan, whose rows are locked only after they were
     * returned. A transaction that has lost its locks, even while it waited for others, takes no
     * further ones: it continues to read at its version and is validated at the end. So the commit
     * reports the abort, which is where all clients retry their transactions.
     */
    private void lockForReading(List<byte[]> keys) {
        LockOutcome outcome =
                owner.lost()
                        ? LockOutcome.TAKEN
                        : database.locks().acquireToRead(owner, keys).join();
        if (outcome == LockOutcome.TIMED_OUT || outcome == LockOutcome.DEADLOCK) {
            lose(List.of());
            throw EndedTransactions.contended();
        }
        versionIsFixed |= outcome == LockOutcome.TAKEN || owner.lost();
        if (!versionIsFixed) {
            readNewest();
        }
    }

    @Override
    public CompletableFuture<Void> prepare(List<byte[]> read, List<byte[]> written) {
        CompletableFuture<Void> ready;
        synchronized (this) {
            requireActive();
            ready =
                    switch (options) {
                        case TransactionOptions.ReadOnly _ -> READY;
                        case TransactionOptions.Optimistic _ ->
                                takeTurn(written.isEmpty() ? read : written);
                        case TransactionOptions.Pessimistic _ -> lock(read, written);
                    };
        }
        return ready;
    }

    private CompletableFuture<Void> takeTurn(List<byte[]> keys) {
        if (!takesTurns()) {
            return READY;
        }
        prepared = true;
        CompletableFuture<Boolean> turn = database.priority().takeTurn(owner, keys);
        if (!turn.isDone()) {
            return turn.thenAccept(_ -> readNewestIfActive());
        }
        if (turn.join()) {
            readNewest();
        }
        return READY;
    }

    private synchronized void readNewestIfActive() {
        if (state == State.ACTIVE && reads.isEmpty() && !versionIsFixed) {
            readNewest();
        }
    }

    private CompletableFuture<Void> lock(List<byte[]> read, List<byte[]> written) {
        if (owner.lost()) {
            return READY;
        }
        List<LockTable.Lock> wanted = new ArrayList<>(read.size() + written.size());
        read.forEach(key -> wanted.add(LockTable.shared(owner, key)));
        written.stream()
                .sorted(Bytes::compare)
                .forEach(key -> wanted.add(LockTable.exclusive(owner, key)));
        boolean reading = written.isEmpty();
        return database.locks()
                .acquire(wanted)
                .thenAccept(outcome -> requireGranted(outcome, reading));
    }

    private synchronized void requireGranted(LockOutcome outcome, boolean reading) {
        boolean readsOn = reading && outcome == LockOutcome.TAKEN;
        if (state != State.ACTIVE || (outcome != LockOutcome.GRANTED && !readsOn)) {
            lose(List.of());
            throw EndedTransactions.contended();
        }
        versionIsFixed |= readsOn;
    }

    @Override
    public CompletableFuture<LockResult> lock(byte[] key, LockStrength strength, Duration waitMax) {
        CompletableFuture<LockOutcome> outcome;
        synchronized (this) {
            requireActive();
            if (!(options instanceof TransactionOptions.Optimistic)) {
                throw PetrichorException.invalid(
                        "Only an optimistic transaction takes explicit locks.");
            }
            LockTable.Lock wanted =
                    switch (strength) {
                        case SHARED -> LockTable.shared(owner, key);
                        case EXCLUSIVE -> LockTable.exclusive(owner, key);
                    };
            outcome = database.locks().acquireToKeep(wanted, waitMax.toNanos());
        }
        return outcome.thenCompose(
                ended ->
                        switch (ended) {
                            case GRANTED -> locked();
                            case TIMED_OUT ->
                                    CompletableFuture.completedFuture(LockResult.NOT_AVAILABLE);
                            case DEADLOCK -> CompletableFuture.completedFuture(LockResult.DEADLOCK);
                            case TAKEN -> CompletableFuture.completedFuture(LockResult.ENDED);
                        });
    }

    private CompletableFuture<LockResult> locked() {
        synchronized (this) {
            if (state != State.ACTIVE) {
                // It ended between the grant and now: what ended it has released its locks, but
                // perhaps before this grant.
                database.locks().release(owner);
                return CompletableFuture.completedFuture(LockResult.ENDED);
            }
            touch(database.time().monotonicNanos());
            prepared = true;
        }
        return database.priority().drainUnlockedCommits().thenApply(_ -> LockResult.LOCKED);
    }

    @Override
    public @Nullable Row newest(byte[] key) {
        synchronized (this) {
            requireActive();
        }
        try (RowSnapshot newest = database.newestSnapshot()) {
            return newest.get(key);
        }
    }

    @Override
    public synchronized int startReads() {
        requireActive();
        return reads.startGroup();
    }

    @Override
    public synchronized void readAgain(int group) {
        requireActive();
        if (group >= 0) {
            reads.forget(group);
        }
        if (!readOnly()) {
            readNewest();
        }
    }

    @Override
    public synchronized void validate(byte[] key) {
        requireActive();
        if (!readOnly()) {
            reads.guard(snapshot.version(), key);
        }
    }

    @Override
    public RowReader unvalidated() {
        return new UnvalidatedReads(this);
    }

    synchronized <T> T unrecorded(Function<RowSnapshot, T> read) {
        requireActive();
        return read.apply(snapshot);
    }

    @Override
    public synchronized RowCursor scan(KeyRange range, Direction direction) {
        requireActive();
        versionIsFixed = true;
        RowCursor rows = snapshot.scan(range, direction);
        if (readOnly()) {
            return rows;
        }
        long version = snapshot.version();
        RecordingCursor[] self = new RecordingCursor[1];
        RecordingCursor cursor =
                new RecordingCursor(
                        rows, range, direction, seen -> scanned(self[0], version, seen));
        self[0] = cursor;
        cursors.add(cursor);
        return cursor;
    }

    private synchronized void scanned(RecordingCursor cursor, long version, KeyRange seen) {
        cursors.remove(cursor);
        if (state == State.ACTIVE) {
            reads.range(version, seen);
            if (options instanceof TransactionOptions.Pessimistic) {
                database.locks().offer(owner, seen);
            }
        }
    }

    @Override
    public synchronized CompletableFuture<CommitResult> commit(
            List<byte[]> conflictKeys, List<RowWrite> writes) {
        requireActive();
        if (readOnly() && !writes.isEmpty()) {
            throw PetrichorException.invalid("A read-only transaction cannot write.");
        }
        // Open cursors have returned rows as well.
        for (RecordingCursor cursor : cursors) {
            KeyRange covered = cursor.covered();
            if (covered != null) {
                reads.range(snapshot.version(), covered);
            }
        }
        cursors.clear();
        if (readOnly() || (writes.isEmpty() && reads.isOneSnapshot())) {
            long version = snapshot.version();
            end();
            return CompletableFuture.completedFuture(new CommitResult.Committed(version));
        }
        return commit(new CommitIntent(reads.groups(), snapshot.version(), conflictKeys, writes));
    }

    @Override
    public synchronized CompletableFuture<CommitResult> commitFor(
            List<CommitRequest> others, CommitRequest request) {
        requireActive();
        return commit(CommitIntent.of(others, request));
    }

    private CompletableFuture<CommitResult> commit(CommitIntent wanted) {
        CommitIntent intent = database.stored(wanted);
        try {
            database.requireFits(intent);
        } catch (RuntimeException refused) {
            end();
            throw refused;
        }
        if (database.locks().enterWithoutLocks()) {
            return submit(intent, true);
        }
        if (options instanceof TransactionOptions.Pessimistic && owner.lost()) {
            return lost(intent, database.contention(intent.writes()));
        }
        state = State.LOCKING;
        CompletableFuture<LockOutcome> locked = database.lockForWriting(owner, intent.writes());
        return locked.isDone()
                ? locked(locked.join(), intent)
                : locked.thenCompose(outcome -> locked(outcome, intent));
    }

    private synchronized CompletableFuture<CommitResult> locked(
            LockOutcome outcome, CommitIntent intent) {
        if (state != State.LOCKING) {
            return CompletableFuture.completedFuture(
                    new CommitResult.Refused(EndedTransactions.ended()));
        }
        return switch (outcome) {
            case GRANTED -> submit(intent, false);
            case TIMED_OUT, DEADLOCK -> lost(intent, RowDatabase.waitedTooLong());
            case TAKEN -> lost(intent, database.contention(intent.writes()));
        };
    }

    private CompletableFuture<CommitResult> lost(CommitIntent intent, CommitResult result) {
        lose(intent.conflictKeys());
        return CompletableFuture.completedFuture(result);
    }

    private CompletableFuture<CommitResult> submit(CommitIntent intent, boolean withoutLocks) {
        state = State.COMMITTING;
        CompletableFuture<CommitResult> result;
        try {
            result = database.enqueue(intent);
        } catch (RuntimeException refused) {
            noLongerWithoutLocks(withoutLocks);
            end();
            throw refused;
        }
        return result.whenComplete(
                (outcome, _) -> {
                    noLongerWithoutLocks(withoutLocks);
                    if (outcome instanceof CommitResult.Conflict) {
                        lose(intent.conflictKeys());
                    } else {
                        end();
                    }
                });
    }

    private void noLongerWithoutLocks(boolean was) {
        if (was) {
            database.locks().leaveWithoutLocks();
        }
    }

    @Override
    public synchronized void rollback() {
        requireActive();
        end();
    }

    /** Its retry is served first. */
    private synchronized void lose(List<byte[]> wanted) {
        database.accessSets().remember(id, accessSet(wanted));
        end();
    }

    private AccessSet accessSet(List<byte[]> wanted) {
        return new AccessSet(owner.age() == 0 ? id.number() : owner.age(), wanted, reads.access());
    }

    /** Its client abandoned it and retries. */
    synchronized AccessSet supersede() {
        AccessSet accessed = accessSet(List.of());
        expire();
        return accessed;
    }

    /** Ends it unless it is committing. */
    synchronized void expire() {
        if (state == State.ACTIVE || state == State.LOCKING) {
            end();
        }
    }

    private synchronized void end() {
        if (state != State.ENDED) {
            state = State.ENDED;
            reads.release();
            snapshot.close();
            database.ended(this, owner);
        }
    }

    private void requireActive() {
        switch (state) {
            case ACTIVE -> {}
            case LOCKING, COMMITTING ->
                    throw PetrichorException.invalid(
                            "The transaction is being committed; it accepts no further requests.");
            case ENDED -> throw EndedTransactions.ended();
        }
        touch(database.time().monotonicNanos());
    }
}
