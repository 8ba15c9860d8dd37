package petrichor.transactions.commit;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.MemoryBudget;
import petrichor.kv.KeyRange;

/**
 * The recent writes of a database, by key and by version: answers whether a key or a range was
 * written after a version. Complete for versions above its {@link #floor()}, and without
 * information below it. Bounded in memory by {@link #trim()}, which evicts the oldest writes and
 * raises the floor.
 *
 * <p>Pure data; not thread-safe.
 */
public final class ConflictWindow {
    /**
     * Size of an entry without its key: record, slots, place in the queue, tree node, array header.
     */
    private static final int ENTRY_BYTES = 136;

    /** Minimum size of a window, available even if other databases use all the shared memory. */
    private static final long UNSHARED_BYTES = 64 << 10;

    /** Unit in which shared memory is reserved and released. */
    private static final long PIECE_BYTES = 256 << 10;

    /**
     * A write of a key.
     *
     * @param hash {@link Bytes#hash} of the key
     */
    public record Write(byte[] key, long version, int hash) {}

    private final long bytesMax;
    private final NewestWrites byKey = new NewestWrites();
    private final ArrayDeque<Write> byTime = new ArrayDeque<>();

    /** For ranges. Lacks the newest {@link #unsorted} writes, because few commits read ranges. */
    private final TreeMap<byte[], Write> sorted = new TreeMap<>(Bytes::compare);

    private int unsorted;
    private final MemoryBudget.Reservation memory;
    private long bytes;
    private long floor;

    public ConflictWindow(long bytesMax, long floor) {
        this(bytesMax, floor, MemoryBudget.unlimited());
    }

    /**
     * @param memory shared by the windows of all databases
     */
    ConflictWindow(long bytesMax, long floor, MemoryBudget memory) {
        this.bytesMax = bytesMax;
        this.memory = memory.reservation();
        this.floor = floor;
    }

    /** The window contains every write of a higher version. */
    public long floor() {
        return floor;
    }

    public int size() {
        return byTime.size();
    }

    /** Versions must not decrease between calls. */
    public void add(byte[] key, long version) {
        add(key, Bytes.hash(key), version);
    }

    /**
     * @param hash {@link Bytes#hash} of the key
     */
    void add(byte[] key, int hash, long version) {
        Write write = new Write(key, version, hash);
        byKey.put(write);
        byTime.add(write);
        unsorted++;
        bytes += ENTRY_BYTES + key.length;
    }

    /**
     * Trims to the bound. Call only when all added writes are durable: readers below the floor are
     * validated against the store, which does not contain a batch in flight.
     */
    public void trim() {
        while (bytes > bytesMax || !fits()) {
            forgetOldest();
        }
    }

    /** Whether it fits into its own memory, or can reserve shared memory. */
    private boolean fits() {
        long missing = bytes - UNSHARED_BYTES - memory.bytes();
        return missing <= 0 || memory.add(Math.max(missing, PIECE_BYTES)) || memory.add(missing);
    }

    /** Evicts writes that are no longer needed. */
    public void forgetUpTo(long version) {
        Write oldest = byTime.peek();
        while (oldest != null && oldest.version <= version) {
            forgetOldest();
            oldest = byTime.peek();
        }
        if (memory.bytes() - bytes > 2 * PIECE_BYTES) {
            memory.clear();
            fits();
        }
    }

    /** Clears the window after a failed durable step, whose writes are unknown. */
    public void clear(long newFloor) {
        byKey.clear();
        byTime.clear();
        sorted.clear();
        unsorted = 0;
        bytes = 0;
        memory.clear();
        floor = Math.max(floor, newFloor);
    }

    private void forgetOldest() {
        Write oldest = byTime.remove();
        floor = Math.max(floor, oldest.version);
        bytes -= ENTRY_BYTES + oldest.key.length;
        // A newer write of the same key has its own place in the queue.
        byKey.remove(oldest);
        if (unsorted > byTime.size()) {
            unsorted = byTime.size();
        } else {
            sorted.remove(oldest.key, oldest);
        }
    }

    private void sort() {
        Iterator<Write> newestFirst = byTime.descendingIterator();
        for (; unsorted > 0; unsorted--) {
            Write write = newestFirst.next();
            sorted.merge(write.key, write, (known, other) -> newer(known, other));
        }
    }

    private static Write newer(Write left, Write right) {
        return left.version >= right.version ? left : right;
    }

    /** A write of {@code key} after {@code version}; null if the window contains none. */
    public @Nullable Write after(long version, byte[] key) {
        return after(version, key, Bytes.hash(key));
    }

    /**
     * @param hash {@link Bytes#hash} of the key
     */
    @Nullable Write after(long version, byte[] key, int hash) {
        Write write = byKey.get(key, hash);
        return write != null && write.version > version ? write : null;
    }

    /**
     * A write after {@code version} inside the range; null if the window contains none. Alternates
     * between the writes of the range and the writes since that version, and stops when either
     * ends: a recent reader pays for few writes, a narrow range for few keys, independently of each
     * other.
     */
    public @Nullable Write after(long version, KeyRange range) {
        if (range.isEmpty()) {
            return null;
        }
        sort();
        byte[] to = range.to();
        Iterator<Write> inRange =
                (to == null
                                ? sorted.tailMap(range.from(), true)
                                : sorted.subMap(range.from(), true, to, false))
                        .values()
                        .iterator();
        Iterator<Write> newestFirst = byTime.descendingIterator();
        while (inRange.hasNext() && newestFirst.hasNext()) {
            Write near = inRange.next();
            if (near.version > version) {
                return near;
            }
            Write late = newestFirst.next();
            if (late.version <= version) {
                return null;
            }
            if (range.contains(late.key)) {
                return late;
            }
        }
        return null;
    }
}
