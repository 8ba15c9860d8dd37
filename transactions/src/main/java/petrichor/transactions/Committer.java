package petrichor.transactions;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Reads;
import petrichor.kv.WriteBatch;

/**
 * Accepts the commits of one database: each group ({@link CommitQueue}) is planned, made durable in
 * one step and published ({@link DurableSteps}), and only then are its futures completed.
 *
 * <p>Safe for any thread. Completion callbacks run on the thread that holds the turn and must not
 * block on another commit.
 *
 * <p>Failures: every future completes. While the outcome of a step is unknown, or the store accepts
 * no writes, commits fail with UNAVAILABLE and reads continue; once another owner has taken over,
 * everything is refused for good.
 */
final class Committer implements AutoCloseable {
    private final String database;
    private final CommitQueue queue;
    private final DurableSteps steps;

    /** Guards the steps; held for one of them, not for telling. */
    private final ReentrantLock working = new ReentrantLock();

    private final AtomicLong conflicts = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();

    Committer(
            String database,
            RowLayout layout,
            CommitPoints commitPoints,
            BooleanSupplier leased,
            CachedRows cached,
            TransactionLimits limits,
            TimeSource time) {
        this.database = database;
        this.steps = new DurableSteps(database, layout, commitPoints, leased, cached, limits, time);
        this.queue = new CommitQueue(database, limits, commitPoints.memory().queued(), this::step);
    }

    /** See {@link DurableSteps#epoch}. */
    long epoch() {
        return steps.epoch();
    }

    /** No row of the store has a higher version. */
    long versionCeiling() {
        return steps.versionCeiling();
    }

    /** Rows as they are now, also those of our own. */
    Reads rows() {
        return steps.rows();
    }

    /** A version that contains all that was acknowledged, and that the store itself shows. */
    long appliedVersion() {
        return steps.appliedVersion();
    }

    ReadPoints readPoints() {
        return steps.readPoints();
    }

    /** Who was shut out, or closed, hands out nothing: it can't know what is new. */
    void requireOwned() {
        if (!steps.owned()) {
            throw steps.refusal();
        }
    }

    boolean owned() {
        return steps.owned();
    }

    CompletableFuture<CommitResult> commit(CommitIntent intent) {
        CompletableFuture<CommitResult> result = new CompletableFuture<>();
        submit(new Pending.Commit(intent, intent.bytes(), result, Cancellation.current()));
        return result;
    }

    /** Rows outside all versions, in the next durable step. */
    CompletableFuture<Void> write(WriteBatch rows) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        submit(new Pending.Meta(rows, done));
        return done;
    }

    private void submit(Pending pending) {
        if (!steps.owned()) {
            refusals.incrementAndGet();
            pending.refuse(steps.refusal());
        } else if (!queue.add(pending)) {
            refusals.incrementAndGet();
            pending.refuse(
                    new PetrichorException(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "Too many commits are waiting for the store; retry with backoff.",
                            Map.of("database", database)));
        }
    }

    // ---- a step

    /**
     * Called by the thread that holds the turn; returns the completions to run once the lock is
     * free.
     */
    private List<Runnable> step() {
        working.lock();
        try {
            List<Runnable> givenUp = new ArrayList<>();
            List<Pending> batch = wanted(queue.drain(), givenUp);
            if (batch.isEmpty()) {
                return givenUp;
            }
            if (givenUp.isEmpty()) {
                return performOrBreak(batch);
            }
            List<Runnable> tell = new ArrayList<>(performOrBreak(batch));
            tell.addAll(givenUp);
            return tell;
        } finally {
            working.unlock();
        }
    }

    /**
     * The commits whose clients still wait. This is the last moment at which a commit can be
     * cancelled: a planned commit is finished.
     */
    private List<Pending> wanted(List<Pending> batch, List<Runnable> givenUp) {
        List<Pending> wanted = new ArrayList<>(batch.size());
        for (Pending pending : batch) {
            PetrichorException reason =
                    pending instanceof Pending.Commit(_, _, _, Cancellation caller)
                                    && caller != null
                            ? caller.reasonToStop()
                            : null;
            if (reason == null) {
                wanted.add(pending);
            } else {
                refusals.incrementAndGet();
                givenUp.add(() -> pending.refuse(reason));
            }
        }
        return wanted;
    }

    /** After any failure here every future completes, and no step runs before recovery. */
    private List<Runnable> performOrBreak(List<Pending> batch) {
        try {
            return perform(batch);
        } catch (RuntimeException | Error unforeseen) {
            PetrichorException reason = steps.breakOff(unforeseen);
            return List.of(() -> batch.forEach(pending -> pending.leaveUnknown(reason)));
        }
    }

    private List<Runnable> perform(List<Pending> batch) {
        List<Runnable> tell = new ArrayList<>(batch.size());
        steps.recover(tell);
        if (!steps.open()) {
            refuse(batch, steps.refusal(), tell);
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
            plan = steps.plan(intents, intents.size() < batch.size());
        } catch (PetrichorException reason) {
            refuse(batch, reason, tell);
            return tell;
        }
        List<Runnable> onDone = new ArrayList<>(batch.size());
        int admitted = sort(batch, plan, onDone, tell);
        if (plan.rows().isEmpty()) {
            tell.addAll(onDone);
        } else {
            steps.write(plan, batch, admitted, onDone, tell);
        }
        return tell;
    }

    private void refuse(List<Pending> batch, PetrichorException reason, List<Runnable> tell) {
        for (Pending pending : batch) {
            refusals.incrementAndGet();
            tell.add(() -> pending.refuse(reason));
        }
    }

    /**
     * Sorts completions into those to run now and those to run after the step; adds internal rows
     * to the plan's. Returns the number of commits in it.
     */
    private int sort(
            List<Pending> batch, Sequencer.Plan plan, List<Runnable> onDone, List<Runnable> tell) {
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
        return admitted;
    }

    // ---- beside commits

    /** See {@link DurableSteps#pointBeyondNewest}. */
    ReadPoint pointBeyondNewest(long version, long now) {
        working.lock();
        try {
            requireOwned();
            return steps.pointBeyondNewest(version, now);
        } finally {
            working.unlock();
        }
    }

    /**
     * Shows the same version through a new view, so that a database that is only read does not make
     * the store keep what others have overwritten since.
     */
    void refreshView() {
        working.lock();
        try {
            steps.refreshView();
        } finally {
            working.unlock();
        }
    }

    void forgetUpTo(long version) {
        working.lock();
        try {
            steps.forgetUpTo(version);
        } finally {
            working.unlock();
        }
    }

    @Override
    public void close() {
        working.lock();
        try {
            steps.close();
        } finally {
            working.unlock();
        }
        queue.close();
    }

    DatabaseMetrics metrics(int openTransactions, int lockWaits) {
        return steps.metrics(
                conflicts.get(), refusals.get(), queue.bytes(), openTransactions, lockWaits);
    }
}
