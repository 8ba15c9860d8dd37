package petrichor.transactions.log;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.base.MemoryBudget;
import petrichor.transactions.TransactionMemory;

/**
 * Memory of durable commits that are not applied to their rows yet, shared by all databases of a
 * process. A commit keeps the bytes that it reserved when it was queued, so nothing has to be
 * reserved after it is durable. Commits wait while the unapplied part of that memory is full,
 * except the first unapplied one of a database: a database whose store applies its rows never waits
 * for others.
 *
 * <p>Thread-safe.
 */
final class UnappliedMemory {
    private final MemoryBudget queued;
    private final MemoryBudget unapplied;
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

    UnappliedMemory(TransactionMemory memory) {
        this.queued = memory.queued();
        this.unapplied = memory.unapplied();
    }

    boolean hasRoom(long bytes) {
        return unapplied.hasRoom(bytes);
    }

    /**
     * The memory of one step.
     *
     * @param budget that returns the bytes; the memory of queued commits if the other is full
     */
    record Held(MemoryBudget budget, long bytes) {}

    /** Keeps the memory of a step until {@link #release}. */
    Held keep(StepMemory step) {
        long bytes = step.keep();
        return new Held(unapplied.tryTakeFromAbove(bytes) ? unapplied : queued, bytes);
    }

    /** Call without the lock of a queue: databases that wait for room look again. */
    void release(Held held) {
        if (held.bytes > 0) {
            held.budget.release(held.bytes);
            waiting.forEach(Runnable::run);
        }
    }

    /** A wait for room; ends when it is closed. */
    interface Wait extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * @param look called after room was made
     */
    Wait awaitRoom(Runnable look) {
        waiting.add(look);
        return () -> waiting.remove(look);
    }
}
