package petrichor.transactions;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;

/**
 * Group commit: commits of a database wait here for its next durable step. A group consists of the
 * commits that queued during the previous step; no timer is involved.
 *
 * <p>Threads: one platform thread that exists while there is work, because durable writes from
 * virtual threads pin their carriers and prevent grouping. A caller on a platform thread that finds
 * the queue idle runs the step itself, which saves a hand-over. The thread that holds the {@link
 * #turn} runs one group commit and completes its futures before the next group starts: their
 * callers return with their next commits meanwhile and share its sync. If the next step started
 * earlier, every sync would serve half as many commits. Completion callbacks therefore run on the
 * thread that holds the turn and must not block on another commit.
 */
final class CommitQueue {
    /** The thread ends after so long without work; the next commit starts another. */
    private static final long THREAD_IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String database;
    private final TransactionLimits limits;
    private final MemoryBudget memory;
    private final Supplier<List<Runnable>> step;

    private final Queue<Pending> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    private volatile boolean parked;
    private volatile boolean closed;

    /** True while a thread runs a step and completes its futures. */
    private final AtomicBoolean turn = new AtomicBoolean();

    /**
     * @param memory that the commits of all databases share while they wait
     * @param step takes commits by {@link #drain}, and returns the completions to run
     */
    CommitQueue(
            String database,
            TransactionLimits limits,
            MemoryBudget memory,
            Supplier<List<Runnable>> step) {
        this.database = database;
        this.limits = limits;
        this.memory = memory;
        this.step = step;
    }

    /** What waits now. */
    long bytes() {
        return queuedBytes.get();
    }

    /** False if so much waits already that this is not taken. */
    boolean add(Pending pending) {
        long bytes = pending.bytes();
        if (queuedBytes.addAndGet(bytes) > limits.queueBytesMax()) {
            queuedBytes.addAndGet(-bytes);
            return false;
        }
        if (!memory.tryReserve(bytes)) {
            queuedBytes.addAndGet(-bytes);
            return false;
        }
        queue.add(pending);
        if (turn.get()) {
            // The thread that holds the turn checks the queue again when it releases it.
            return true;
        }
        // Internal rows are left to the thread: their waiter may hold a lock that completion
        // callbacks of a step need.
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
        return true;
    }

    /** At most one group. For the thread that holds the turn. */
    List<Pending> drain() {
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
        memory.release(bytes);
        return batch;
    }

    /** The thread ends once nothing waits any more: those who still do hear of it first. */
    void close() {
        closed = true;
        wake();
    }

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
            if ((queue.isEmpty() && !closed) || turn.get()) {
                LockSupport.parkNanos(this, THREAD_IDLE_NANOS);
            }
            parked = false;
            boolean idle = closed || System.nanoTime() - lastWork >= THREAD_IDLE_NANOS;
            if (idle && queue.isEmpty()) {
                thread.compareAndSet(self, null);
                // A commit queued just before did not see this thread leave; a later one does.
                if (queue.isEmpty() || !thread.compareAndSet(null, self)) {
                    return;
                }
            }
        }
    }

    /**
     * One step with all that is queued, or as many as it takes. Called with the turn, returns
     * without it.
     */
    private void takeTurn(boolean untilIdle) {
        try {
            do {
                for (Runnable one : step.get()) {
                    one.run();
                }
            } while (untilIdle && !queue.isEmpty());
        } finally {
            turn.set(false);
        }
    }
}
