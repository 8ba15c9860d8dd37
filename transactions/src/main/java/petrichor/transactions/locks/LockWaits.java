package petrichor.transactions.locks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.Cancellation;
import petrichor.base.TimeSource;
import petrichor.kv.KeyRange;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Asynchronous waits for the locks of a {@link LockTable}. A wait occupies no thread: releasing a
 * lock grants it to the next waiter, which does not have to compete for it, and the future of that
 * wait completes on a thread of the scheduler. Thread-safe.
 *
 * <p>A wait ends at its limit, at the deadline of its request ({@link Cancellation}), or when the
 * client of that request disconnects.
 */
public final class LockWaits implements AutoCloseable {
    /** Open waits per database; further ones are refused. */
    static final int WAITS_MAX = 10_000;

    private final LockTable table = new LockTable();
    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<LockTable.Lock, Wait> waiting = new HashMap<>();

    /** Waits that have ended but whose futures have not completed. */
    private final List<Wait> ended = new ArrayList<>();

    private final TimeSource time;
    private final Scheduler scheduler;
    private final LongSupplier ages;
    private final long waitNanos;
    private final long priorityNanos;
    private final AtomicInteger withoutLocks = new AtomicInteger();
    private final AtomicInteger unfinished = new AtomicInteger();
    private volatile boolean idle = true;
    private boolean closed;

    /**
     * @param scheduler completes waits, and runs their timeouts
     * @param ages strictly increasing
     */
    public LockWaits(
            TransactionLimits limits, TimeSource time, Scheduler scheduler, LongSupplier ages) {
        this.time = time;
        this.scheduler = scheduler;
        this.ages = ages;
        this.waitNanos = limits.lockWait().toNanos();
        this.priorityNanos = limits.priorityHold().toNanos();
    }

    /** What happens once an owner has all locks that it waits for. */
    private enum Purpose {
        /** An older owner may take them. */
        ACCESS,
        /** They cannot be taken away; the owner waits for no others. */
        COMMIT,
        /** They cannot be taken away; the owner may wait for others. */
        EXPLICIT
    }

    /** The wait of one owner for several locks, acquired in order. Guarded by the mutex. */
    private static final class Wait {
        private final List<LockTable.Lock> wanted;
        private final Purpose purpose;
        private final CompletableFuture<LockOutcome> result = new CompletableFuture<>();
        private int granted;
        private long nanosLeft;
        private @Nullable LockOutcome outcome;

        Wait(List<LockTable.Lock> wanted, Purpose purpose, long nanosMax) {
            this.wanted = wanted;
            this.purpose = purpose;
            this.nanosLeft = nanosMax;
        }

        LockTable.Lock next() {
            return wanted.get(granted);
        }

        boolean over() {
            return outcome != null;
        }
    }

    /** Whether no lock is held or requested. */
    public boolean idle() {
        return idle;
    }

    /** Number of waits; one whose future has completed no longer counts. */
    public int waits() {
        return unfinished.get();
    }

    /**
     * Admits a commit without locks while no locks are held; it must call {@link
     * #leaveWithoutLocks} when it has ended. False if locks are held: then the commit must acquire
     * its own.
     */
    public boolean enterWithoutLocks() {
        withoutLocks.incrementAndGet();
        if (idle) {
            return true;
        }
        withoutLocks.decrementAndGet();
        return false;
    }

    public void leaveWithoutLocks() {
        withoutLocks.decrementAndGet();
    }

    /** Whether a commit without locks is running. None starts while a lock is held. */
    public boolean someAreWithoutLocks() {
        return withoutLocks.get() > 0;
    }

    /**
     * Whether other owners write one of these rows, or wait for it, and the owner has no lock yet.
     */
    public boolean contended(LockTable.Owner owner, List<byte[]> keys) {
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

    /** Acquires all locks; the limit applies to the whole wait. */
    public CompletableFuture<LockOutcome> acquire(List<LockTable.Lock> wanted) {
        return acquire(wanted, Purpose.ACCESS, waitNanos);
    }

    /** Waits only as long as locks are lent. */
    public CompletableFuture<LockOutcome> acquireSoon(List<LockTable.Lock> wanted) {
        return acquire(wanted, Purpose.ACCESS, priorityNanos);
    }

    /** Once their owner has them all, they cannot be taken away. */
    public CompletableFuture<LockOutcome> acquireToCommit(List<LockTable.Lock> wanted) {
        return acquire(wanted, Purpose.COMMIT, waitNanos);
    }

    /**
     * Acquires a lock that its owner keeps until it ends, even while it waits for others.
     *
     * @param nanosMax zero for an attempt without a wait
     */
    public CompletableFuture<LockOutcome> acquireToKeep(LockTable.Lock wanted, long nanosMax) {
        return acquire(List.of(wanted), Purpose.EXPLICIT, nanosMax);
    }

    /**
     * Acquires shared locks. For a row that its recent readers also wrote, acquires an exclusive
     * one: otherwise all would read it, and all but one would have to restart.
     */
    public CompletableFuture<LockOutcome> acquireToRead(LockTable.Owner owner, List<byte[]> keys) {
        List<LockTable.Lock> wanted = new ArrayList<>(keys.size());
        mutex.lock();
        try {
            for (byte[] key : keys.size() == 1 ? keys : sorted(keys)) {
                wanted.add(
                        table.readToBeWritten(key) && !table.holds(owner, key)
                                ? LockTable.precautionary(owner, key)
                                : LockTable.shared(owner, key));
            }
        } finally {
            mutex.unlock();
        }
        return acquire(wanted);
    }

    private static List<byte[]> sorted(List<byte[]> keys) {
        return keys.stream().sorted(Bytes::compare).toList();
    }

    private CompletableFuture<LockOutcome> acquire(
            List<LockTable.Lock> wanted, Purpose purpose, long nanosMax) {
        Cancellation caller = Cancellation.current();
        long nanos = caller == null ? nanosMax : Math.min(nanosMax, caller.remainingNanos());
        Wait wait = new Wait(wanted, purpose, nanos);
        boolean waits;
        mutex.lock();
        try {
            idle = false;
            for (LockTable.Lock lock : wanted) {
                lock.owner().ageFrom(ages);
            }
            advance(wait);
            if (!wait.over() && (nanos <= 0 || closed || unfinished.get() >= WAITS_MAX)) {
                end(wait, LockOutcome.TIMED_OUT);
            }
            waits = !wait.over();
            if (!waits) {
                ended.remove(wait);
            } else {
                unfinished.incrementAndGet();
            }
        } finally {
            unlock();
        }
        if (!waits) {
            wait.result.complete(wait.outcome);
            return wait.result;
        }
        watch(wait);
        if (caller != null) {
            caller.onCancel(() -> giveUp(wait));
        }
        return wait.result;
    }

    /** Takes the locks that are available, and queues for the first one that is not. */
    private void advance(Wait wait) {
        while (wait.granted < wait.wanted.size()) {
            LockTable.Lock next = wait.next();
            long now = time.monotonicNanos();
            if (!table.grant(next, now)) {
                if (table.closesCycle(next, now)) {
                    end(wait, LockOutcome.DEADLOCK);
                    return;
                }
                table.await(next);
                waiting.put(next, wait);
                return;
            }
            wait.granted++;
        }
        if (!wait.wanted.isEmpty()) {
            LockTable.Owner owner = wait.wanted.getFirst().owner();
            switch (wait.purpose) {
                case ACCESS -> {}
                case COMMIT -> table.pin(owner);
                case EXPLICIT -> table.keep(owner);
            }
        }
        end(wait, LockOutcome.GRANTED);
    }

    private void end(Wait wait, LockOutcome outcome) {
        if (wait.over()) {
            return;
        }
        wait.outcome = outcome;
        if (wait.granted < wait.wanted.size()) {
            table.giveUp(wait.next());
            waiting.remove(wait.next());
        }
        ended.add(wait);
    }

    /** Downgraded locks expire without an event: waiters check again at that time. */
    private void watch(Wait wait) {
        long nap = Math.min(wait.nanosLeft, priorityNanos);
        scheduler.runLater(() -> napEnded(wait, nap), Duration.ofNanos(nap));
    }

    private void napEnded(Wait wait, long nap) {
        boolean more;
        mutex.lock();
        try {
            wait.nanosLeft -= nap;
            if (!wait.over()) {
                serve();
            }
            if (!wait.over() && wait.nanosLeft <= 0) {
                end(wait, LockOutcome.TIMED_OUT);
            }
            more = !wait.over();
        } finally {
            unlock();
        }
        if (more) {
            watch(wait);
        }
    }

    private void giveUp(Wait wait) {
        mutex.lock();
        try {
            end(wait, LockOutcome.TIMED_OUT);
        } finally {
            unlock();
        }
    }

    /** Takes the range if nothing conflicts; never waits. */
    public void offer(LockTable.Owner owner, KeyRange range) {
        mutex.lock();
        try {
            owner.ageFrom(ages);
            boolean _ = table.grant(LockTable.shared(owner, range), time.monotonicNanos());
        } finally {
            unlock();
        }
    }

    /** Turns its locks into a head start: they expire after a while. */
    public void downgrade(LockTable.Owner owner) {
        mutex.lock();
        try {
            table.limit(owner, time.monotonicNanos() + priorityNanos);
        } finally {
            unlock();
        }
    }

    /** Also ends its wait. */
    public void release(LockTable.Owner owner) {
        mutex.lock();
        try {
            if (!owner.holdsNothing()) {
                table.release(owner);
            }
            endWaitsOf(owner);
        } finally {
            unlock();
        }
    }

    private void endWaitsOf(LockTable.Owner owner) {
        if (!owner.waits()) {
            return;
        }
        for (Map.Entry<LockTable.Lock, Wait> one : List.copyOf(waiting.entrySet())) {
            if (one.getKey().owner().equals(owner)) {
                end(one.getValue(), LockOutcome.TAKEN);
            }
        }
    }

    private void serve() {
        for (LockTable.Lock lock : table.serve(time.monotonicNanos())) {
            Wait wait = waiting.remove(lock);
            if (wait != null) {
                wait.granted++;
                advance(wait);
            }
        }
    }

    /** Hands over released locks, and completes waits that no longer conflict. */
    private void unlock() {
        do {
            for (LockTable.Owner robbed = table.robbed(); robbed != null; robbed = table.robbed()) {
                endWaitsOf(robbed);
            }
            if (table.freed()) {
                serve();
            }
        } while (table.freed() || table.someWereRobbed());
        idle = table.isEmpty();
        List<Wait> complete = ended.isEmpty() ? List.of() : List.copyOf(ended);
        ended.clear();
        mutex.unlock();
        if (!complete.isEmpty()) {
            // On another thread: the owner's next step takes its monitor, and this thread may hold
            // one.
            scheduler.run(() -> complete.forEach(this::complete));
        }
    }

    private void complete(Wait wait) {
        unfinished.decrementAndGet();
        wait.result.complete(wait.outcome);
    }

    /** Ends all waits; later ones are refused. */
    @Override
    public void close() {
        mutex.lock();
        try {
            closed = true;
            List.copyOf(waiting.values()).forEach(wait -> end(wait, LockOutcome.TAKEN));
        } finally {
            unlock();
        }
    }
}
