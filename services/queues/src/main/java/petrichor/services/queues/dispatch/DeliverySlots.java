package petrichor.services.queues.dispatch;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import petrichor.base.MemoryBudget;

/**
 * Bounds the deliveries of a process, in number and in bytes. A dispatcher that gets no slot is
 * woken when one is free. Thread-safe.
 */
final class DeliverySlots {
    private final int max;
    private final MemoryBudget memory;
    private final AtomicInteger taken = new AtomicInteger();
    private final Set<Runnable> waiting = new LinkedHashSet<>();
    private final LongAdder succeeded = new LongAdder();
    private final LongAdder failed = new LongAdder();

    DeliverySlots(int max, MemoryBudget memory) {
        this.max = max;
        this.memory = memory;
    }

    boolean tryTake(long bytes) {
        if (taken.incrementAndGet() > max) {
            taken.decrementAndGet();
            return false;
        }
        if (!memory.tryReserve(bytes)) {
            taken.decrementAndGet();
            return false;
        }
        return true;
    }

    int free() {
        return Math.max(0, max - taken.get());
    }

    /** Runs once when a slot is free. */
    void whenFree(Runnable wake) {
        synchronized (waiting) {
            waiting.add(wake);
        }
        wakeNext();
    }

    DeliveryCounts counts() {
        return new DeliveryCounts(taken.get(), succeeded.sum(), failed.sum());
    }

    /** A delivery ended. */
    void release(long bytes, boolean success) {
        (success ? succeeded : failed).increment();
        memory.release(bytes);
        taken.decrementAndGet();
        wakeNext();
    }

    /** Wakes a waiting dispatcher if a slot is free. */
    void wakeNext() {
        Runnable next = null;
        synchronized (waiting) {
            if (free() > 0 && !waiting.isEmpty()) {
                next = waiting.iterator().next();
                waiting.remove(next);
            }
        }
        if (next != null) {
            next.run();
        }
    }
}
