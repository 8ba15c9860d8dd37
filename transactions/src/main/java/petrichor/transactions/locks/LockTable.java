package petrichor.transactions.locks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.transactions.commit.Sequencer;

/**
 * Table of shared and exclusive locks on rows and ranges, with wound-wait deadlock prevention.
 * Locks only affect progress: the {@link Sequencer} decides correctness, regardless of locks. A
 * lock may therefore be taken away; its former owner detects conflicts at its commit.
 *
 * <p>Deadlocks cannot occur (wound-wait): the older owner takes locks away from the younger one,
 * and the younger one waits for the older. The age of an owner is that of its first lock request,
 * or of the first attempt in case of a retry, so that requests for one row are served in order of
 * arrival. A committing owner neither loses a lock nor waits for one.
 *
 * <p>Explicit locks are the exception: their owner keeps its locks and may wait for others, so that
 * cycles are possible. They are detected when a wait begins, and the request that would close one
 * is refused.
 *
 * <p>Pure data without threads or clocks; guarded by the mutex of {@link LockWaits}.
 */
public final class LockTable {
    /** Number of remembered rows whose readers usually write them. */
    private static final int READ_TO_BE_WRITTEN_MAX = 1_000;

    /** A holder or requester of locks. The table accesses its fields. */
    public static final class Owner {
        private long age;
        private final List<Lock> held = new ArrayList<>();
        private boolean unyielding;

        /** Has locked a row explicitly. */
        private boolean explicit;

        private volatile boolean lost;
        private int waiting;

        /** Time, in nanoseconds of the clock, from which any owner may take the locks. */
        private long expiresNanos = Long.MAX_VALUE;

        /**
         * @param age the lower, the older
         */
        public Owner(long age) {
            this.age = age;
        }

        /** An owner whose age is set by its first request. */
        public Owner() {
            this(0);
        }

        /** Zero if it never requested a lock. */
        public long age() {
            return age;
        }

        void ageFrom(LongSupplier ages) {
            if (age == 0) {
                age = ages.getAsLong();
            }
        }

        /** Locks were taken from it. */
        public boolean lost() {
            return lost;
        }

        boolean holdsNothing() {
            return held.isEmpty();
        }

        boolean waits() {
            return waiting > 0;
        }
    }

    /** A held or requested lock. Ranges are always shared. */
    public static final class Lock {
        private final Owner owner;
        private final KeyRange range;
        private final boolean point;
        private final boolean exclusive;

        /** Its owner writes, or is known to write, there. */
        private final boolean forWriting;

        private boolean granted;

        private Lock(
                Owner owner, KeyRange range, boolean point, boolean exclusive, boolean forWriting) {
            this.owner = owner;
            this.range = range;
            this.point = point;
            this.exclusive = exclusive;
            this.forWriting = forWriting;
        }

        Owner owner() {
            return owner;
        }

        boolean granted() {
            return granted;
        }
    }

    private final TreeMap<byte[], List<Lock>> points = new TreeMap<>(Bytes::compare);
    private final List<Lock> ranges = new ArrayList<>();

    /** By age, oldest first. */
    private final List<Lock> waiting = new ArrayList<>();

    /** The entries of {@link #waiting} for a single row, by that row. */
    private final TreeMap<byte[], List<Lock>> waitingPoints = new TreeMap<>(Bytes::compare);

    private final List<Lock> waitingRanges = new ArrayList<>();

    /** Rows whose readers later wrote them while others read them; oldest first. */
    private final LinkedHashSet<Bytes> readToBeWritten = new LinkedHashSet<>();

    /** Owners whose locks were taken, until the next call of {@link #robbed}. */
    private final ArrayDeque<Owner> robbed = new ArrayDeque<>();

    /** Owners of explicit locks. */
    private int explicitOwners;

    private boolean freed;

    boolean isEmpty() {
        return points.isEmpty() && ranges.isEmpty() && waiting.isEmpty();
    }

    public static Lock shared(Owner owner, byte[] key) {
        return new Lock(owner, KeyRange.ofKey(key), true, false, false);
    }

    public static Lock exclusive(Owner owner, byte[] key) {
        return new Lock(owner, KeyRange.ofKey(key), true, true, true);
    }

    /**
     * A lock of a transaction that may write the row. It excludes others like {@link #exclusive}
     * but is no sign that the row is written: otherwise readers of a row would queue for it as long
     * as others do.
     */
    public static Lock precautionary(Owner owner, byte[] key) {
        return new Lock(owner, KeyRange.ofKey(key), true, true, false);
    }

    public static Lock shared(Owner owner, KeyRange range) {
        return new Lock(owner, range, false, false, false);
    }

    /** Whether other owners write there or wait for it. */
    boolean contended(Owner owner, byte[] key) {
        List<Lock> held = points.get(key);
        return (held != null && held.stream().anyMatch(lock -> writes(lock, owner)))
                || waiting.stream()
                        .anyMatch(lock -> writes(lock, owner) && lock.range.contains(key));
    }

    private static boolean writes(Lock lock, Owner other) {
        return lock.forWriting && !lock.owner.equals(other);
    }

    /** Grants the lock if no older transaction conflicts; takes it from younger ones. */
    boolean grant(Lock wanted, long nowNanos) {
        if (holdsAsMuch(wanted)) {
            return true;
        }
        List<Owner> inTheWay = inTheWay(wanted);
        if (wanted.forWriting && !inTheWay.isEmpty() && othersRead(wanted)) {
            remember(Bytes.of(wanted.range.from()));
        }
        for (Owner other : inTheWay) {
            if (!yields(other, wanted, nowNanos)) {
                return false;
            }
        }
        if (overtakes(wanted)) {
            return false;
        }
        for (Owner other : inTheWay) {
            other.lost = true;
            release(other);
            robbed.add(other);
        }
        wanted.granted = true;
        wanted.owner.held.add(wanted);
        if (wanted.point) {
            points.computeIfAbsent(wanted.range.from(), _ -> new ArrayList<>(1)).add(wanted);
        } else {
            ranges.add(wanted);
        }
        return true;
    }

    /**
     * Whether its owner already has this lock or a stronger one and need not queue for it again.
     */
    private boolean holdsAsMuch(Lock wanted) {
        List<Lock> same = wanted.point ? points.get(wanted.range.from()) : null;
        if (same != null) {
            for (Lock lock : same) {
                if (lock.owner.equals(wanted.owner)
                        && (lock.exclusive || !wanted.exclusive)
                        && (lock.forWriting || !wanted.forWriting)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether the owner has a lock of any kind on the row. */
    boolean holds(Owner owner, byte[] key) {
        List<Lock> same = points.get(key);
        return same != null && same.stream().anyMatch(lock -> lock.owner.equals(owner));
    }

    private boolean othersRead(Lock wanted) {
        List<Lock> same = points.get(wanted.range.from());
        return same != null
                && same.stream()
                        .anyMatch(lock -> !lock.exclusive && !lock.owner.equals(wanted.owner));
    }

    private void remember(Bytes key) {
        if (readToBeWritten.add(key) && readToBeWritten.size() > READ_TO_BE_WRITTEN_MAX) {
            readToBeWritten.removeFirst();
        }
    }

    /**
     * Whether a reader of this row will probably write it: its recent readers did so while others
     * waited for it.
     */
    boolean readToBeWritten(byte[] key) {
        return !readToBeWritten.isEmpty() && readToBeWritten.contains(Bytes.of(key));
    }

    private List<Owner> inTheWay(Lock wanted) {
        // Usually none or one.
        List<Owner> others = new ArrayList<>(0);
        if (wanted.point) {
            List<Lock> same = points.get(wanted.range.from());
            if (same != null) {
                addConflicting(wanted, same, others);
            }
            if (wanted.exclusive) {
                addConflicting(wanted, ranges, others);
            }
        } else {
            byte[] to = wanted.range.to();
            var inside =
                    to == null
                            ? points.tailMap(wanted.range.from(), true)
                            : points.subMap(wanted.range.from(), true, to, false);
            inside.values().forEach(locks -> addConflicting(wanted, locks, others));
        }
        return others;
    }

    private static void addConflicting(Lock wanted, List<Lock> held, List<Owner> others) {
        for (Lock lock : held) {
            if (conflict(wanted, lock) && !others.contains(lock.owner)) {
                others.add(lock.owner);
            }
        }
    }

    private static boolean conflict(Lock one, Lock other) {
        return !one.owner.equals(other.owner)
                && (one.exclusive || other.exclusive)
                && (one.point
                        ? other.range.contains(one.range.from())
                        : one.range.contains(other.range.from()));
    }

    /** An older transaction waits for the same lock and is served first. */
    private boolean overtakes(Lock wanted) {
        if (waiting.isEmpty()) {
            return false;
        }
        if (wanted.point) {
            return overtakes(wanted, waitingPoints.get(wanted.range.from()))
                    || overtakes(wanted, waitingRanges);
        }
        // Ranges are shared: only waiters for single rows can conflict.
        return overtakes(wanted, waiting);
    }

    private static boolean overtakes(Lock wanted, @Nullable List<Lock> others) {
        if (others != null) {
            for (Lock other : others) {
                if (other.owner.age < wanted.owner.age && conflict(wanted, other)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Whether a wait for this lock would close a cycle of owners that wait for each other. Never
     * without explicit locks.
     */
    boolean closesCycle(Lock wanted, long nowNanos) {
        if (explicitOwners == 0) {
            return false;
        }
        Set<Owner> seen = new HashSet<>();
        ArrayDeque<Owner> reached = new ArrayDeque<>(waitsFor(wanted, nowNanos));
        while (!reached.isEmpty()) {
            Owner other = reached.remove();
            if (other.equals(wanted.owner)) {
                return true;
            }
            if (!other.waits() || !seen.add(other)) {
                continue;
            }
            for (Lock awaited : waiting) {
                if (awaited.owner.equals(other)) {
                    reached.addAll(waitsFor(awaited, nowNanos));
                }
            }
        }
        return false;
    }

    /** Owners that do not yield, and older waiters that are served first. */
    private List<Owner> waitsFor(Lock wanted, long nowNanos) {
        List<Owner> others = new ArrayList<>();
        for (Owner other : inTheWay(wanted)) {
            if (!yields(other, wanted, nowNanos)) {
                others.add(other);
            }
        }
        for (Lock other : waiting) {
            if (other.owner.age < wanted.owner.age && conflict(wanted, other)) {
                others.add(other.owner);
            }
        }
        return others;
    }

    private static boolean yields(Owner holder, Lock wanted, long nowNanos) {
        return !holder.unyielding
                && (wanted.owner.age < holder.age || holder.expiresNanos <= nowNanos);
    }

    void await(Lock wanted) {
        int at = waiting.size();
        // Usually the youngest arrives last.
        while (at > 0 && waiting.get(at - 1).owner.age > wanted.owner.age) {
            at--;
        }
        waiting.add(at, wanted);
        wanted.owner.waiting++;
        if (wanted.point) {
            waitingPoints.computeIfAbsent(wanted.range.from(), _ -> new ArrayList<>(1)).add(wanted);
        } else {
            waitingRanges.add(wanted);
        }
    }

    void giveUp(Lock wanted) {
        if (waiting.remove(wanted)) {
            noLongerAwaited(wanted);
            freed = true;
        }
    }

    private void noLongerAwaited(Lock wanted) {
        wanted.owner.waiting--;
        if (wanted.point) {
            removeFrom(waitingPoints, wanted);
        } else {
            waitingRanges.remove(wanted);
        }
    }

    /** An owner whose locks were taken since the last call; null if there is none. */
    @Nullable Owner robbed() {
        return robbed.poll();
    }

    boolean someWereRobbed() {
        return !robbed.isEmpty();
    }

    /** Whether a waiter may have fewer conflicts than at the last check. */
    boolean freed() {
        return freed;
    }

    /** Grants all locks that can be granted now, oldest first, and returns them. */
    List<Lock> serve(long nowNanos) {
        freed = false;
        List<Lock> served = new ArrayList<>();
        for (Lock wanted : List.copyOf(waiting)) {
            if (grant(wanted, nowNanos)) {
                waiting.remove(wanted);
                noLongerAwaited(wanted);
                served.add(wanted);
            }
        }
        return served;
    }

    /** Protects its locks from being taken: it is committing. */
    void pin(Owner owner) {
        owner.unyielding = true;
    }

    /** Protects its locks from being taken until it ends; it may wait for others. */
    void keep(Owner owner) {
        pin(owner);
        if (!owner.explicit) {
            owner.explicit = true;
            explicitOwners++;
        }
    }

    void limit(Owner owner, long expiresNanos) {
        freed = true;
        owner.expiresNanos = expiresNanos;
    }

    void release(Owner owner) {
        freed = true;
        if (owner.explicit) {
            owner.explicit = false;
            explicitOwners--;
        }
        for (Lock lock : owner.held) {
            lock.granted = false;
            if (lock.point) {
                if (!owner.lost && lock.exclusive && !lock.forWriting && !writes(owner, lock)) {
                    // The row was locked for reading without need.
                    readToBeWritten.remove(Bytes.of(lock.range.from()));
                }
                removeFrom(points, lock);
            } else {
                ranges.remove(lock);
            }
        }
        owner.held.clear();
    }

    private static boolean writes(Owner owner, Lock read) {
        for (Lock lock : owner.held) {
            if (lock.forWriting && Bytes.compare(lock.range.from(), read.range.from()) == 0) {
                return true;
            }
        }
        return false;
    }

    private static void removeFrom(Map<byte[], List<Lock>> byKey, Lock lock) {
        List<Lock> same = byKey.get(lock.range.from());
        if (same != null) {
            same.remove(lock);
            if (same.isEmpty()) {
                byKey.remove(lock.range.from());
            }
        }
    }
}
