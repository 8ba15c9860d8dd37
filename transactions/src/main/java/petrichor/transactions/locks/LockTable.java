package petrichor.transactions.locks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.transactions.commit.Sequencer;

/**
 * Decides which transactions proceed and which wait. Locks only affect progress: correctness is
 * decided by the {@link Sequencer}, regardless of locks. So a lock may be taken away: its former
 * owner detects conflicts at its commit.
 *
 * <p>Deadlocks can't arise (wound-wait): the elder takes locks away from the younger, the younger
 * waits for the elder. An owner is as old as its first request for a lock, and a retry as old as
 * its first attempt, so that those who want one row are served in the order of their arrival. Who
 * is committing loses no lock, and waits for none.
 *
 * <p>Pure data without threads or clocks; belongs to the holder of {@link LockWaits}' mutex.
 */
public final class LockTable {
    /** Rows of which is remembered that their readers write them. */
    private static final int READ_TO_BE_WRITTEN_MAX = 1_000;

    /** One who holds or wants locks. Fields belong to the table. */
    public static final class Owner {
        private long age;
        private final List<Lock> held = new ArrayList<>();
        private boolean unyielding;
        private volatile boolean lost;
        private int waiting;

        /** Nanoseconds of the clock at which the locks may be taken by anybody. */
        private long expiresNanos = Long.MAX_VALUE;

        /**
         * @param age the lower, the elder
         */
        public Owner(long age) {
            this.age = age;
        }

        /** Gets its age with its first request. */
        public Owner() {
            this(0);
        }

        /** Zero if it never asked for a lock. */
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

    /** A lock, held or wanted. Ranges are only ever shared. */
    public static final class Lock {
        private final Owner owner;
        private final KeyRange range;
        private final boolean point;
        private final boolean exclusive;

        /** Its owner is known to write there, or is writing. */
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

    /** By age, the eldest first. */
    private final List<Lock> waiting = new ArrayList<>();

    /** Those of {@link #waiting} that want one row, by that row. */
    private final TreeMap<byte[], List<Lock>> waitingPoints = new TreeMap<>(Bytes::compare);

    private final List<Lock> waitingRanges = new ArrayList<>();

    /** Rows whose readers went on to write them while others read them; the oldest first. */
    private final LinkedHashSet<Bytes> readToBeWritten = new LinkedHashSet<>();

    /** Owners whose locks were taken, until they have asked. */
    private final ArrayDeque<Owner> robbed = new ArrayDeque<>();

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
     * Of a transaction that may write there. It excludes others like {@link #exclusive}, but is not
     * a sign that the row is written: otherwise readers of a row would queue for it for as long as
     * others do so.
     */
    public static Lock precautionary(Owner owner, byte[] key) {
        return new Lock(owner, KeyRange.ofKey(key), true, true, false);
    }

    public static Lock shared(Owner owner, KeyRange range) {
        return new Lock(owner, range, false, false, false);
    }

    /** Whether others write there or wait for it. */
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
            boolean yields =
                    !other.unyielding
                            && (wanted.owner.age < other.age || other.expiresNanos <= nowNanos);
            if (!yields) {
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

    /** Its owner has this lock, or a stronger one: it need not get in line for it again. */
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

    /** Whether it has a lock of any kind on that row. */
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
     * Whether who reads this row will probably write it: the last ones to read it did so, while
     * others waited for it.
     */
    boolean readToBeWritten(byte[] key) {
        return !readToBeWritten.isEmpty() && readToBeWritten.contains(Bytes.of(key));
    }

    private List<Owner> inTheWay(Lock wanted) {
        // Mostly none or one.
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

    /** An older transaction waits for the same lock: it goes first. */
    private boolean overtakes(Lock wanted) {
        if (waiting.isEmpty()) {
            return false;
        }
        if (wanted.point) {
            return overtakes(wanted, waitingPoints.get(wanted.range.from()))
                    || overtakes(wanted, waitingRanges);
        }
        // Ranges are shared: only those in the way who want single rows matter.
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

    void await(Lock wanted) {
        int at = waiting.size();
        // Mostly the youngest comes last.
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

    /** One whose locks were taken since this was asked last; null if there is none. */
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

    /** Grants what can be granted now, the eldest first; returns it. */
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

    /** From now on its locks cannot be taken: it is being committed. */
    void makeUnyielding(Owner owner) {
        owner.unyielding = true;
    }

    void limit(Owner owner, long expiresNanos) {
        freed = true;
        owner.expiresNanos = expiresNanos;
    }

    void release(Owner owner) {
        freed = true;
        for (Lock lock : owner.held) {
            lock.granted = false;
            if (lock.point) {
                if (!owner.lost && lock.exclusive && !lock.forWriting && !writes(owner, lock)) {
                    // It was read with care and for nothing.
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
