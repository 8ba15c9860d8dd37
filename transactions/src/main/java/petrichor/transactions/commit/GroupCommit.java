package petrichor.transactions.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.kv.WriteBatch;
import petrichor.transactions.CommitResult;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.changes.VersionSignal;
import petrichor.transactions.log.StepMemory;
import petrichor.transactions.scheduling.EventLoop;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Group commit: accepts the commits of one database and makes all those that queued during a
 * durable step durable in the next one ({@link DurableSteps}); no timer is involved. The futures of
 * a group complete before the next group starts: their callers can submit their next commits in
 * time to share its sync. If the next step started earlier, every sync would serve half as many
 * commits.
 *
 * <p>Thread-safe. Completion callbacks run in the turn of the database's {@link EventLoop} and must
 * not block on another commit.
 *
 * <p>Failures: every future completes. While the outcome of a step is unknown, or the store accepts
 * no writes, commits fail with UNAVAILABLE and reads continue; once another owner has taken over,
 * all requests are refused permanently.
 */
public final class GroupCommit implements EventLoop.Work, AutoCloseable {
    private final String database;
    private final DurableSteps steps;
    private final CommitCounters counters;
    private final TransactionLimits limits;
    private final MemoryBudget memory;
    private final EventLoop loop;
    private final Scheduler scheduler;
    private final VersionSignal signal = new VersionSignal();

    private final Queue<Pending> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong queuedBytes = new AtomicLong();

    /**
     * @param memory shared by the commits of all databases; a commit holds its bytes until its step
     *     has ended
     */
    public GroupCommit(
            String database,
            DurableSteps steps,
            CommitCounters counters,
            TransactionLimits limits,
            MemoryBudget memory,
            Scheduler scheduler) {
        this.database = database;
        this.steps = steps;
        this.counters = counters;
        this.limits = limits;
        this.memory = memory;
        this.scheduler = scheduler;
        this.loop = scheduler.loop("commit " + database, this);
    }

    public CompletableFuture<CommitResult> commit(CommitIntent intent) {
        CompletableFuture<CommitResult> result = new CompletableFuture<>();
        Pending commit = new Pending.Commit(intent, intent.bytes(), result, Cancellation.current());
        if (admit(commit)) {
            loop.wakeOrTakeTurn();
        }
        return result;
    }

    /** Writes unversioned rows in the next durable step. */
    public CompletableFuture<Void> write(WriteBatch rows) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (admit(new Pending.InternalRows(rows, done))) {
            // Not on this thread: the caller may hold a lock that completion callbacks of a step
            // need.
            loop.wake();
        }
        return done;
    }

    private boolean admit(Pending pending) {
        if (!steps.owned()) {
            counters.refused();
            pending.refuse(steps.refusal());
            return false;
        }
        if (!reserve(pending)) {
            counters.refused();
            pending.refuse(
                    PetrichorException.of(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "Too many commits are waiting for the store; retry with backoff.",
                            "database",
                            database));
            return false;
        }
        queue.add(pending);
        return true;
    }

    private boolean reserve(Pending pending) {
        long bytes = pending.bytes();
        if (queuedBytes.addAndGet(bytes) <= limits.queueBytesMax()
                && memory.tryReserve(pending.memoryBytes())) {
            return true;
        }
        queuedBytes.addAndGet(-bytes);
        return false;
    }

    public long queuedBytes() {
        return queuedBytes.get();
    }

    @Override
    public boolean isWaiting() {
        return !queue.isEmpty();
    }

    @Override
    public void turn() {
        List<Pending> group = nextGroup();
        if (!group.isEmpty()) {
            perform(group).forEach(StepResult::complete);
            signal.fire(scheduler);
        }
    }

    /** Returns the memory of the group before callers can submit their next commits. */
    private List<StepResult> perform(List<Pending> group) {
        long granted = group.stream().mapToLong(Pending::memoryBytes).sum();
        try (StepMemory held = new StepMemory(memory, granted)) {
            return steps.perform(group, held);
        }
    }

    private List<Pending> nextGroup() {
        List<Pending> group = new ArrayList<>();
        long bytes = 0;
        long rows = 0;
        while (bytes < limits.batchBytesMax() && !steps.fillsStep(rows, bytes)) {
            Pending next = queue.poll();
            if (next == null) {
                break;
            }
            bytes += next.bytes();
            rows += next.rows();
            group.add(next);
        }
        queuedBytes.addAndGet(-bytes);
        return group;
    }

    /** The futures of waiting commits complete first. */
    @Override
    public void close() {
        loop.close();
        signal.close();
    }

    /** Fires after each step. */
    public VersionSignal signal() {
        return signal;
    }
}
