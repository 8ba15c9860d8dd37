package petrichor.transactions;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

/**
 * Who may go on and who has to wait. Locks only decide about progress: what is correct is decided
 * by the {@link Sequencer}, whoever holds which lock. So a lock may be taken away: its owner then
 * finds out at its commit whether anything has changed.
 *
 * <p>Deadlocks can't arise (wound-wait): the elder takes locks away from the younger, the younger
 * waits for the elder; a retry is as old as its first attempt. Who is committing loses no lock, and
 * waits for none. Those who wait are served by age.
 *
 * <p>Pure data without threads or clocks; belongs to the holder of {@link LockWaits}' mutex.
 */
final class LockTable {
    /** One who holds or wants locks. Fields belong to the table. */
    static final class Owner {
        private final long age;
        private final List<Lock> held = new ArrayList<>();
        private boolean unyielding;
        private volatile boolean lost;

        /** Nanoseconds of the clock at which the locks may be taken by anybody. */
        private long expiresNanos = Long.MAX_VALUE;

        /**
         * @param age the lower, the elder
         */
        Owner(long age) {
            this.age = age;
        }

        long age() {
            return age;
        }

        /** Locks were taken from it. */
        boolean lost() {
            return lost;
        }

        boolean holdsNothing() {
            return held.isEmpty();
        }
    }

    /** A lock, held or wanted. Ranges are only ever shared. */
    static final class Lock {
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

        boolean granted() {
            return granted;
        }
    }

    private final TreeMap<byte[], List<Lock>> points = new TreeMap<>(Bytes::compare);
    private final List<Lock> ranges = new ArrayList<>();

    /** By age, the eldest first. */
    private final List<Lock> waiting = new ArrayList<>();

    private boolean freed;

    boolean isEmpty() {
        return points.isEmpty() && ranges.isEmpty() && waiting.isEmpty();
    }

    static Lock shared(Owner owner, byte[] key) {
        return new Lock(owner, KeyRange.ofKey(key), true, false, false);
    }

    static Lock exclusive(Owner owner, byte[] key) {
        return new Lock(owner, KeyRange.ofKey(key), true, true, true);
    }

    /**
     * Of one who will perhaps write there. It keeps others away like {@link #exclusive}, but nobody
     * takes it for a sign that the row is written: otherwise those who only read a row would queue
     * for it for as long as others do so.
     */
    static Lock precautionary(Owner owner, byte[] key) {
        return new Lock(owner, KeyRange.ofKey(key), true, true, false);
    }

    static Lock shared(Owner owner, KeyRange range) {
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

    /** Grants the lock if nobody elder stands in the way; takes it from those who are younger. */
    boolean grant(Lock wanted, long nowNanos) {
        List<Owner> inTheWay = inTheWay(wanted);
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
            release(other);
            other.lost = true;
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

    private List<Owner> inTheWay(Lock wanted) {
        // Mostly nobody or one.
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

    /** Somebody elder waits for the same: it goes first. */
    private boolean overtakes(Lock wanted) {
        for (Lock other : waiting) {
            // In order of age: the rest is younger, or of the same owner.
            if (other.owner.age >= wanted.owner.age) {
                return false;
            }
            if (conflict(wanted, other)) {
                return true;
            }
        }
        return false;
    }

    void await(Lock wanted) {
        int at = 0;
        while (at < waiting.size() && waiting.get(at).owner.age <= wanted.owner.age) {
            at++;
        }
        waiting.add(at, wanted);
    }

    boolean isAwaited(Lock wanted) {
        return waiting.contains(wanted);
    }

    void giveUp(Lock wanted) {
        freed |= waiting.remove(wanted);
    }

    /** Whether somebody may have less in its way than when it was looked at last. */
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
                served.add(wanted);
            }
        }
        return served;
    }

    /** From now on nobody takes its locks: it is being committed. */
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
                removePoint(lock);
            } else {
                ranges.remove(lock);
            }
        }
        owner.held.clear();
    }

    private void removePoint(Lock lock) {
        List<Lock> same = points.get(lock.range.from());
        if (same != null) {
            same.remove(lock);
            if (same.isEmpty()) {
                points.remove(lock.range.from());
            }
        }
    }
}
