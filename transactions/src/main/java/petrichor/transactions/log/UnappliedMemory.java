package petrichor.transactions.log;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.base.MemoryBudget;
import petrichor.transactions.TransactionMemory;

/**
 * Memory of durable commits that are not applied to their rows yet, shared by all databases of a
 * process. A commit keeps the bytes that it reserved when it was queued, so nothing has to be
 * reserved after it is durable. Commits wait while the unapplied part of that memory is full,
 * except the first unapplied one of a database, which then counts among the queued ones: a database
 * whose store applies its rows never waits for others.
 *
 * <p>Thread-safe.
 */
final class UnappliedMemory {
    private final MemoryBudget unapplied;
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

    UnappliedMemory(TransactionMemory memory) {
        this.unapplied = memory.unapplied();
    }

    /**
     * Takes memory for a step before it is written, so that two databases never take the same
     * bytes. False if too little is free. May be called again for the same step.
     */
    boolean take(StepMemory step) {
        return step.moveTo(unapplied, this::lookAgain);
    }

    /** Call without the lock of a queue: databases that wait for memory check again. */
    void release(StepMemory.Held held) {
        if (held.bytes() > 0) {
            held.release();
            lookAgain();
        }
    }

    private void lookAgain() {
        waiting.forEach(Runnable::run);
    }

    /** A wait for memory; ends when it is closed. */
    interface Wait extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * @param look called after memory was released
     */
    Wait awaitMemory(Runnable look) {
        waiting.add(look);
        return () -> waiting.remove(look);
    }
}
