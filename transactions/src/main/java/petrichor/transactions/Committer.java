package petrichor.transactions;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.DurableStep;
import petrichor.kv.Reads;
import petrichor.kv.WriteBatch;

/**
 * Drives a database's {@link Sequencer}: takes what queued up, plans it, makes it durable in one
 * step, publishes, and only then tells. The batch is what queued during the last step; there is no
 * timer.
 *
 * <p>Threads: one platform thread that exists while there is work, because durable writes straight
 * from virtual threads pin their carriers and lose the grouping. A caller on a platform thread that
 * finds nobody at work takes the step itself and saves the hand-over. Whoever has the {@link #turn}
 * takes a step and tells all whom it concerns before the next step begins: they come back with
 * their next commits while the others are told, and share its sync. If the next step began before,
 * every sync would serve half as many. What waits for a commit's future therefore runs within the
 * turn, and must not wait for another commit.
 *
 * <p>Failures: if the outcome of a step is not known, nothing more is written under that epoch. We
 * take a new one, which shuts out what may still be on its way, look how far the store got, and
 * tell those who wait what became of them. If even that fails, or if we have no lease any more,
 * commits are refused as UNAVAILABLE and it is tried again after a pause; reads go on. If somebody
 * else took the database, everything is refused, for good.
 */
final class Committer implements AutoCloseable {
    /** The thread ends after so long without work; the next commit starts another. */
    private static final long THREAD_IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private enum State {
        OPEN,
        /** A step failed and we could not find out more yet. */
        BROKEN,
        /** Somebody else owns the database. */
        FENCED,
        CLOSED
    }

    private final String database;
    private final CommitPoint commitPoint;
    private final BooleanSupplier leased;
    private final Sequencer sequencer;
    private final ReadPoints readPoints;
    private final StoredWrites stored;
    private final TransactionLimits limits;
    private final TimeSource time;

    private final Queue<Pending> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    private volatile boolean parked;

    /** True while somebody takes a step and tells of it. */
    private final AtomicBoolean turn = new AtomicBoolean();

    /**
     * Guards the sequencer, the commit point and what follows; held for a step, not for telling.
     */
    private final ReentrantLock working = new ReentrantLock();

    private volatile State state = State.OPEN;
    private volatile long epoch;
    private volatile long versionCeiling;
    private long durableVersion;
    private long brokenSince;
    private @Nullable LostStep lostStep;
    private volatile @Nullable PetrichorException lastFailure;

    // Written by the holder of the lock, read by anybody.
    private final AtomicLong commits = new AtomicLong();
    private final AtomicLong conflicts = new AtomicLong();
    private final AtomicLong syncs = new AtomicLong();
    private volatile long batchCommitsMax;
    private final AtomicLong recoveries = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();

    Committer(
            String database,
            RowLayout layout,
            CommitPoints commitPoints,
            BooleanSupplier leased,
            TransactionLimits limits,
            TimeSource time) {
        this.database = database;
        this.leased = leased;
        this.commitPoint = commitPoints.of(layout, () -> owned() && leased.getAsBoolean());
        this.limits = limits;
        this.time = time;
        CommitPoint.Taken taken = commitPoint.take();
        this.epoch = taken.epoch();
        this.durableVersion = taken.last().version();
        this.versionCeiling = durableVersion;
        this.sequencer = new Sequencer(layout.database(), durableVersion, limits.windowBytesMax());
        this.readPoints = new ReadPoints(commitPoint, durableVersion);
        this.stored = new StoredHistory(layout, commitPoint.live(), this::versionCeiling);
    }

    long epoch() {
        return epoch;
    }

    /** No row of the store has a higher version. */
    long versionCeiling() {
        return versionCeiling;
    }

    /** Rows as they are now, also those of our own. */
    Reads rows() {
        return commitPoint.live().rows();
    }

    /** A version that contains all that was acknowledged, and that the store itself shows. */
    long appliedVersion() {
        long version = readPoints.newestVersion();
        commitPoint.awaitApplied(version);
        return version;
    }

    ReadPoints readPoints() {
        return readPoints;
    }

    /** Who was shut out, or closed, hands out nothing: it can't know what is new. */
    void requireOwned() {
        State now = state;
        if (now == State.FENCED || now == State.CLOSED) {
            throw refusal(now);
        }
    }

    boolean owned() {
        return state == State.OPEN || state == State.BROKEN;
    }

    CompletableFuture<CommitResult> commit(CommitIntent intent) {
        CompletableFuture<CommitResult> result = new CompletableFuture<>();
        submit(new Pending.Commit(intent, intent.bytes(), result));
        return result;
    }

    /** Rows outside all versions, in the next durable step. */
    CompletableFuture<Void> write(WriteBatch rows) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        submit(new Pending.Meta(rows, done));
        return done;
    }

    private void submit(Pending pending) {
        State now = state;
        if (now == State.FENCED || now == State.CLOSED) {
            refusals.incrementAndGet();
            pending.refuse(refusal(now));
            return;
        }
        long bytes = pending.bytes();
        if (queuedBytes.addAndGet(bytes) > limits.queueBytesMax()) {
            queuedBytes.addAndGet(-bytes);
            refusals.incrementAndGet();
            pending.refuse(
                    new PetrichorException(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "Too many commits are waiting for the store; retry with backoff.",
                            Map.of("database", database)));
            return;
        }
        queue.add(pending);
        if (turn.get()) {
            // Whoever has it looks at the queue again when it gives it back.
            return;
        }
        // Our own rows are left to the thread: who waits for them may hold a lock that those who
        // are told by a step come for.
        if (pending instanceof Pending.Commit
                && !Thread.currentThread().isVirtual()
                && turn.compareAndSet(false, true)) {
            takeTurn(false);
            if (!queue.isEmpty()) {
                wake();
            }
        } else {
            wake();
        }
    }

    // ---- the thread

    private void wake() {
        Thread worker = thread.get();
        if (worker == null) {
            Thread fresh =
                    Thread.ofPlatform().daemon().name("commit " + database).unstarted(this::run);
            if (thread.compareAndSet(null, fresh)) {
                fresh.start();
                return;
            }
            worker = thread.get();
        }
        if (parked && worker != null) {
            LockSupport.unpark(worker);
        }
    }

    private void run() {
        Thread self = Thread.currentThread();
        long lastWork = System.nanoTime();
        while (true) {
            if (!queue.isEmpty() && turn.compareAndSet(false, true)) {
                takeTurn(true);
                lastWork = System.nanoTime();
                continue;
            }
            parked = true;
            if ((queue.isEmpty() && state != State.CLOSED) || turn.get()) {
                LockSupport.parkNanos(this, THREAD_IDLE_NANOS);
            }
            parked = false;
            boolean idle =
                    state == State.CLOSED || System.nanoTime() - lastWork >= THREAD_IDLE_NANOS;
            if (idle && queue.isEmpty()) {
                thread.compareAndSet(self, null);
                // Whoever queued just before did not see us leave; whoever queues now does.
                if (queue.isEmpty() || !thread.compareAndSet(null, self)) {
                    return;
                }
            }
        }
    }

    // ---- a step

    /**
     * One step with all that is queued, or as many as it takes. Called with the turn, returns
     * without it.
     */
    private void takeTurn(boolean untilIdle) {
        try {
            do {
                for (Runnable one : step()) {
                    one.run();
                }
            } while (untilIdle && !queue.isEmpty());
        } finally {
            turn.set(false);
        }
    }

    /** Returns what is to be told. */
    private List<Runnable> step() {
        working.lock();
        try {
            List<Pending> batch = drain();
            return batch.isEmpty() ? List.of() : performOrBreak(batch);
        } finally {
            working.unlock();
        }
    }

    /** Whatever goes wrong here, nobody waits for ever, and nothing goes on before recovery. */
    private List<Runnable> performOrBreak(List<Pending> batch) {
        try {
            return perform(batch);
        } catch (RuntimeException | Error unforeseen) {
            PetrichorException reason = unavailable(unforeseen);
            lastFailure = reason;
            if (state == State.OPEN) {
                becomeBroken();
            }
            return List.of(() -> batch.forEach(pending -> pending.leaveUnknown(reason)));
        }
    }

    private List<Pending> drain() {
        List<Pending> batch = new ArrayList<>();
        long bytes = 0;
        while (bytes < limits.batchBytesMax()) {
            Pending next = queue.poll();
            if (next == null) {
                break;
            }
            bytes += next.bytes();
            batch.add(next);
        }
        queuedBytes.addAndGet(-bytes);
        return batch;
    }

    /** Returns what is to be told, once the lock is free. */
    private List<Runnable> perform(List<Pending> batch) {
        List<Runnable> tell = new ArrayList<>(batch.size());
        if (state == State.BROKEN) {
            recover(tell);
        }
        if (state != State.OPEN) {
            PetrichorException reason = refusal(state);
            for (Pending pending : batch) {
                refusals.incrementAndGet();
                tell.add(() -> pending.refuse(reason));
            }
            return tell;
        }
        List<CommitIntent> intents = new ArrayList<>(batch.size());
        for (Pending pending : batch) {
            if (pending instanceof Pending.Commit commit) {
                intents.add(commit.intent());
            }
        }
        Sequencer.Plan plan;
        try {
            commitPoint.awaitRoom();
            plan = plan(intents, intents.size() < batch.size());
        } catch (RuntimeException failed) {
            // Validation reads the store. What it admitted until then was never written.
            sequencer.recovered(durableVersion);
            PetrichorException reason = unavailable(failed);
            for (Pending pending : batch) {
                refusals.incrementAndGet();
                tell.add(() -> pending.refuse(reason));
            }
            return tell;
        }
        List<Runnable> onDone = new ArrayList<>(batch.size());
        int results = 0;
        int admitted = 0;
        for (Pending pending : batch) {
            switch (pending) {
                case Pending.Commit commit -> {
                    CommitResult result = plan.results().get(results++);
                    Runnable one = () -> commit.result().complete(result);
                    switch (result) {
                        case CommitResult.Committed _ -> {
                            admitted++;
                            onDone.add(one);
                        }
                        case CommitResult.Conflict _ -> {
                            conflicts.incrementAndGet();
                            tell.add(one);
                        }
                        case CommitResult.Refused _ -> {
                            refusals.incrementAndGet();
                            tell.add(one);
                        }
                        case CommitResult.Unknown _ -> tell.add(one);
                    }
                }
                case Pending.Meta meta -> {
                    meta.rows().ops().forEach(plan.rows()::add);
                    onDone.add(() -> meta.done().complete(null));
                }
            }
        }
        if (plan.rows().isEmpty()) {
            tell.addAll(onDone);
            return tell;
        }
        makeDurable(batch, plan, admitted, onDone, tell);
        return tell;
    }

    /** A step of our own rows alone gets a version too: by it we know it again if it is lost. */
    private Sequencer.Plan plan(List<CommitIntent> intents, boolean withOwnRows) {
        long now = time.epochMicros();
        Sequencer.Plan plan = sequencer.plan(intents, now, stored);
        return withOwnRows && plan.rows().isEmpty()
                ? new Sequencer.Plan(plan.rows(), sequencer.nextVersion(now), plan.results())
                : plan;
    }

    private void makeDurable(
            List<Pending> batch,
            Sequencer.Plan plan,
            int admitted,
            List<Runnable> onDone,
            List<Runnable> tell) {
        versionCeiling = plan.version();
        DurableStep.Outcome outcome;
        try {
            outcome = commitPoint.commit(plan.rows(), plan.version());
        } catch (RuntimeException failed) {
            outcome = DurableStep.Outcome.UNKNOWN;
            lastFailure = unavailable(failed);
        }
        syncs.incrementAndGet();
        switch (outcome) {
            case DONE -> {
                durableVersion = plan.version();
                try {
                    readPoints.publish(plan.version());
                } catch (RuntimeException failed) {
                    // Durable, but nobody could see it: recovery opens a new view, then tells.
                    lose(new LostStep(epoch, plan.version(), admitted, onDone, batch), tell);
                    return;
                }
                commits.addAndGet(admitted);
                batchCommitsMax = Math.max(batchCommitsMax, admitted);
                tell.addAll(onDone);
            }
            case FENCED -> {
                state = State.FENCED;
                PetrichorException reason = refusal(State.FENCED);
                for (Pending pending : batch) {
                    tell.add(() -> pending.refuse(reason));
                }
            }
            case UNKNOWN ->
                    lose(new LostStep(epoch, plan.version(), admitted, onDone, batch), tell);
        }
    }

    private void lose(LostStep lost, List<Runnable> tell) {
        lostStep = lost;
        becomeBroken();
        recover(tell);
    }

    private void becomeBroken() {
        state = State.BROKEN;
        brokenSince = time.monotonicNanos() - limits.recoveryPause().toNanos();
    }

    /** Takes the database anew and finds out what became of the step that failed. */
    private void recover(List<Runnable> tell) {
        long now = time.monotonicNanos();
        if (now - brokenSince < limits.recoveryPause().toNanos()) {
            return;
        }
        LostStep lost = lostStep;
        try {
            requireLease();
            CommitPoint.Taken taken = commitPoint.take();
            // Only now it counts: until this moment nobody else has served. A successor that was
            // serving when we took the database does not know that we have shut it out, and its
            // readers would miss what we commit.
            requireLease();
            CommitPoint.LastCommit last = taken.last();
            epoch = taken.epoch();
            sequencer.recovered(last.version());
            durableVersion = Math.max(durableVersion, last.version());
            versionCeiling = Math.max(versionCeiling, durableVersion);
            readPoints.publish(durableVersion);
            state = State.OPEN;
            recoveries.incrementAndGet();
            if (lost != null) {
                LostStep.Fate fate = lost.fate(last);
                commits.addAndGet(fate == LostStep.Fate.WRITTEN ? lost.admitted() : 0);
                lost.tell(fate, database, tell);
            }
        } catch (RuntimeException failed) {
            brokenSince = now;
            lastFailure = unavailable(failed);
            if (lost != null) {
                lost.tellUnknown(unavailable(failed), tell);
            }
        }
        lostStep = null;
    }

    private void requireLease() {
        if (!leased.getAsBoolean()) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    "This server's lease on the database has run out.",
                    Map.of("database", database));
        }
    }

    // ---- read points beyond the newest commit

    /**
     * A point at a version that no commit has reached yet, although the clock has. Later commits
     * will be above it, also after a crash: that is made durable first, with {@code now} so that
     * the next reader a moment later pays nothing.
     */
    ReadPoint pointBeyondNewest(long version, long now) {
        working.lock();
        try {
            requireOwned();
            if (version > durableVersion) {
                makePromiseDurable(Math.max(version, now));
            }
            sequencer.promise(durableVersion);
            versionCeiling = Math.max(versionCeiling, durableVersion);
            return readPoints.at(version);
        } finally {
            working.unlock();
        }
    }

    private void makePromiseDurable(long promised) {
        if (state == State.OPEN) {
            DurableStep.Outcome outcome;
            try {
                outcome = commitPoint.commit(new WriteBatch(), promised);
            } catch (RuntimeException failed) {
                lastFailure = unavailable(failed);
                outcome = DurableStep.Outcome.UNKNOWN;
            }
            syncs.incrementAndGet();
            switch (outcome) {
                case DONE -> durableVersion = promised;
                case FENCED -> state = State.FENCED;
                case UNKNOWN -> becomeBroken();
            }
        }
        if (state != State.OPEN) {
            throw refusal(state);
        }
    }

    /**
     * Shows the same version through a new view, so that a database that is only read does not make
     * the store keep what others have overwritten since.
     */
    void refreshView() {
        working.lock();
        try {
            // Not while a step of unknown outcome may be in the store.
            if (state == State.OPEN) {
                readPoints.publish(readPoints.newestVersion());
            }
        } finally {
            working.unlock();
        }
    }

    void forgetUpTo(long version) {
        working.lock();
        try {
            sequencer.forgetUpTo(version);
        } finally {
            working.unlock();
        }
    }

    @Override
    public void close() {
        working.lock();
        try {
            state = State.CLOSED;
            readPoints.close();
            commitPoint.close();
        } finally {
            working.unlock();
        }
        // Those who queued meanwhile hear of it.
        wake();
    }

    private PetrichorException refusal(State why) {
        return switch (why) {
            case OPEN, BROKEN ->
                    new PetrichorException(
                            ErrorCode.UNAVAILABLE,
                            "The store does not accept writes now; what was written before is safe"
                                    + " and can be read. Retry later, and look at the server's log"
                                    + " for the cause.",
                            Map.of("database", database),
                            lastFailure);
            case FENCED ->
                    new PetrichorException(
                            ErrorCode.UNAVAILABLE,
                            "Another server has taken over this database; retry there.",
                            Map.of("database", database));
            case CLOSED ->
                    new PetrichorException(
                            ErrorCode.UNAVAILABLE,
                            "This database was closed; retry.",
                            Map.of("database", database));
        };
    }

    private PetrichorException unavailable(Throwable cause) {
        return new PetrichorException(
                ErrorCode.UNAVAILABLE,
                "The store failed: " + cause.getMessage() + " Retry later.",
                Map.of("database", database),
                cause);
    }

    DatabaseMetrics metrics(int openTransactions) {
        return new DatabaseMetrics(
                commits.get(),
                conflicts.get(),
                refusals.get(),
                syncs.get(),
                batchCommitsMax,
                recoveries.get(),
                queuedBytes.get(),
                openTransactions,
                readPoints.newestVersion(),
                Math.min(readPoints.oldest(), readPoints.newestVersion()),
                sequencer.windowSize());
    }
}
