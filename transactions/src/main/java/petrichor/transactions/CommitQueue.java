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
 * What waits for the next durable step of a database, and whose turn it is to take that. The batch
 * is what queued during the last step; there is no timer.
 *
 * <p>Threads: one platform thread that exists while there is work, because durable writes straight
 * from virtual threads pin their carriers and lose the grouping. A caller on a platform thread that
 * finds nobody at work takes the step itself and saves the hand-over. Whoever has the {@link #turn}
 * takes a step and tells all whom it concerns before the next step begins: they come back with
 * their next commits while the others are told, and share its sync. If the next step began before,
 * every sync would serve half as many. What waits for a commit's future therefore runs within the
 * turn, and must not wait for another commit.
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

    /** True while somebody takes a step and tells of it. */
    private final AtomicBoolean turn = new AtomicBoolean();

    /**
     * @param memory that the commits of all databases share while they wait
     * @param step takes what it wants by {@link #drain}, and returns what is to be told
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
            // Whoever has it looks at the queue again when it gives it back.
            return true;
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
        return true;
    }

    /** As much as one step takes. For whoever has the turn. */
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
                // Whoever queued just before did not see us leave; whoever queues now does.
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
