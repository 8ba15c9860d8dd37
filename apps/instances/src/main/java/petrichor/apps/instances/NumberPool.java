package petrichor.apps.instances;

import java.util.BitSet;
import java.util.OptionalInt;
import java.util.function.IntPredicate;

/**
 * Numbers of a range that are used by one instance at a time. A released number is reused as late
 * as possible, so that a late client of an ended instance does not reach another one. Thread-safe.
 */
final class NumberPool {
    private final NumberRange range;
    private final BitSet used;
    private int next;

    NumberPool(NumberRange range, int start) {
        this.range = range;
        this.used = new BitSet(range.size());
        this.next = Math.floorMod(start, range.size());
    }

    /** A free number that passes the test; empty if there is none. */
    synchronized OptionalInt take(IntPredicate usable) {
        for (int tried = 0; tried < range.size(); tried++) {
            int index = next;
            next = (next + 1) % range.size();
            if (!used.get(index) && usable.test(range.first() + index)) {
                used.set(index);
                return OptionalInt.of(range.first() + index);
            }
        }
        return OptionalInt.empty();
    }

    synchronized void release(int number) {
        used.clear(number - range.first());
    }
}
