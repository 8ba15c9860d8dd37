package petrichor.transactions;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import petrichor.base.TimeSource;
import petrichor.kv.KeyRange;

/** The threads that wait for locks of a {@link LockTable}. Safe for any thread. */
final class LockWaits {
    private final LockTable table = new LockTable();
    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<LockTable.Lock, Condition> waiting = new HashMap<>();
    private final TimeSource time;
    private final long waitNanos;
    private final long priorityNanos;
    private final AtomicInteger withoutLocks = new AtomicInteger();
    private volatile boolean idle = true;

    LockWaits(TransactionLimits limits, TimeSource time) {
        this.time = time;
        this.waitNanos = limits.lockWait().toNanos();
        this.priorityNanos = limits.priorityHold().toNanos();
    }

    /** Nobody holds or wants a lock. */
    boolean idle() {
        return idle;
    }

    /**
     * Lets in a commit that takes no locks because nobody has any; it must {@link
     * #leaveWithoutLocks} when it has ended. False if somebody has: then it must take its own.
     */
    boolean enterWithoutLocks() {
        withoutLocks.incrementAndGet();
        if (idle) {
            return true;
        }
        withoutLocks.decrementAndGet();
        return false;
    }

    void leaveWithoutLocks() {
        withoutLocks.decrementAndGet();
    }

    /** Whether a commit is under way that no lock stops. None begins while somebody holds one. */
    boolean someAreWithoutLocks() {
        return withoutLocks.get() > 0;
    }

    /** Whether others write one of these rows, or wait for it, and the owner has no lock yet. */
    boolean contended(LockTable.Owner owner, List<byte[]> keys) {
        if (idle) {
            return false;
        }
        mutex.lock();
        try {
            return owner.holdsNothing()
                    && keys.stream().anyMatch(key -> table.contended(owner, key));
        } finally {
            mutex.unlock();
        }
    }

    /** Waits for all of them, each no longer than the limit; false if one was not to be had. */
    boolean acquire(List<LockTable.Lock> wanted) {
        return acquire(wanted, waitNanos);
    }

    /** Waits for each only as long as locks are lent; false if one was not to be had. */
    boolean acquireSoon(List<LockTable.Lock> wanted) {
        return acquire(wanted, priorityNanos);
    }

    private boolean acquire(List<LockTable.Lock> wanted, long nanosEach) {
        mutex.lock();
        try {
            for (LockTable.Lock lock : wanted) {
                if (!acquire(lock, nanosEach)) {
                    return false;
                }
            }
            return true;
        } finally {
            afterChange();
            mutex.unlock();
        }
    }

    private boolean acquire(LockTable.Lock wanted, long nanosMax) {
        idle = false;
        if (table.grant(wanted, time.monotonicNanos())) {
            return true;
        }
        table.await(wanted);
        Condition served = mutex.newCondition();
        waiting.put(wanted, served);
        try {
            long left = nanosMax;
            while (!wanted.granted()) {
                if (left <= 0) {
                    return false;
                }
                // Locks that are only lent run out without anybody telling.
                long nap = Math.min(left, priorityNanos);
                left -= nap - served.awaitNanos(nap);
                if (!wanted.granted() && !table.isAwaited(wanted)) {
                    // It was ours for a moment; an elder took it before we woke up.
                    table.await(wanted);
                }
                if (!wanted.granted()) {
                    serve();
                }
            }
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            table.giveUp(wanted);
            waiting.remove(wanted);
        }
    }

    /** Takes the range if nobody is in the way; never waits. */
    void offer(LockTable.Owner owner, KeyRange range) {
        mutex.lock();
        try {
            boolean _ = table.grant(LockTable.shared(owner, range), time.monotonicNanos());
        } finally {
            afterChange();
            mutex.unlock();
        }
    }

    /** Its locks are for a head start: after a while anybody may take them. */
    void lend(LockTable.Owner owner) {
        mutex.lock();
        try {
            table.limit(owner, time.monotonicNanos() + priorityNanos);
        } finally {
            mutex.unlock();
        }
    }

    void makeUnyielding(LockTable.Owner owner) {
        mutex.lock();
        try {
            table.makeUnyielding(owner);
        } finally {
            mutex.unlock();
        }
    }

    void release(LockTable.Owner owner) {
        mutex.lock();
        try {
            if (!owner.holdsNothing()) {
                table.release(owner);
            }
        } finally {
            afterChange();
            mutex.unlock();
        }
    }

    private void serve() {
        for (LockTable.Lock lock : table.serve(time.monotonicNanos())) {
            Condition served = waiting.get(lock);
            if (served != null) {
                served.signal();
            }
        }
    }

    private void afterChange() {
        if (table.freed()) {
            serve();
        }
        idle = table.isEmpty();
    }
}
