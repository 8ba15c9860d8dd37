package petrichor.transactions.commit;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.commit.ConflictWindow.Write;

/**
 * The newest write of each key in a {@link ConflictWindow}: a hash table with open addressing and
 * linear probing. A {@code HashMap} needs two more objects per write, which a window keeps for
 * seconds, so that every young collection copies or scans them.
 *
 * <p>Pure data; not thread-safe.
 */
final class NewestWrites {
    private static final int SLOTS_MIN = 1_024;

    /** At most two thirds of the slots are in use. */
    private static final double LOAD_MAX = 2.0 / 3;

    private @Nullable Write[] slots = new @Nullable Write[SLOTS_MIN];
    private int size;

    @Nullable Write get(byte[] key, int hash) {
        int mask = slots.length - 1;
        for (int at = home(hash, mask); ; at = at + 1 & mask) {
            Write write = slots[at];
            if (write == null || (write.hash() == hash && Arrays.equals(write.key(), key))) {
                return write;
            }
        }
    }

    /** Replaces the previous write of the same key. */
    void put(Write write) {
        int mask = slots.length - 1;
        int at = home(write.hash(), mask);
        for (Write former = slots[at]; former != null; former = slots[at]) {
            if (former.hash() == write.hash() && Arrays.equals(former.key(), write.key())) {
                slots[at] = write;
                return;
            }
            at = at + 1 & mask;
        }
        slots[at] = write;
        size++;
        if (size > slots.length * LOAD_MAX) {
            grow();
        }
    }

    /** Removes exactly this write; does nothing if a newer write of its key has replaced it. */
    @SuppressWarnings("ReferenceEquality") // an equal write would have the same version
    void remove(Write write) {
        int mask = slots.length - 1;
        int at = home(write.hash(), mask);
        while (slots[at] != write) {
            if (slots[at] == null) {
                return;
            }
            at = at + 1 & mask;
        }
        // Shifts entries back that were displaced beyond the gap, so that no probe ends there too
        // early.
        int gap = at;
        int next = gap + 1 & mask;
        for (Write pushed = slots[next]; pushed != null; pushed = slots[next]) {
            if ((next - home(pushed.hash(), mask) & mask) >= (next - gap & mask)) {
                slots[gap] = pushed;
                gap = next;
            }
            next = next + 1 & mask;
        }
        slots[gap] = null;
        size--;
    }

    void clear() {
        slots = new @Nullable Write[SLOTS_MIN];
        size = 0;
    }

    int size() {
        return size;
    }

    private void grow() {
        @Nullable Write[] former = slots;
        slots = new @Nullable Write[2 * former.length];
        int mask = slots.length - 1;
        for (Write write : former) {
            if (write != null) {
                int at = home(write.hash(), mask);
                while (slots[at] != null) {
                    at = at + 1 & mask;
                }
                slots[at] = write;
            }
        }
    }

    private static int home(int hash, int mask) {
        return (hash ^ hash >>> 16) & mask;
    }
}
