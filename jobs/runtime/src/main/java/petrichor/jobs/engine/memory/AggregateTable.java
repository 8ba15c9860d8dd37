package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.Accumulator;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyHash;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * A hash table from keys to partial aggregates that are updated in place. Open addressing: a slot
 * holds a part of the hash and the record's position, so that a miss rarely accesses a record.
 * Belongs to one thread.
 */
final class AggregateTable {
    private static final int SLOTS_MIN = 1 << 10;
    private static final int PLACE_BITS = 42;
    private static final long PLACE_MASK = (1L << PLACE_BITS) - 1;

    private final Accumulator accumulator;
    private final MemoryShare memory;
    private final RecordArena arena;
    private final @Nullable KeyHash hash;
    private final @Nullable KeyOrder order;
    private final RecordBuilder builder;
    private final RecordView stored;
    private long[] slots = {};
    private int mask;
    private int keys;

    /** Whether the arena holds records that are no longer in the table. */
    private boolean replaced;

    private final long[] entries = new long[RecordBatch.RECORDS];

    /** Keeps the compiler from eliminating the loads of {@code fetch}. */
    @SuppressWarnings("UnusedVariable")
    private long fetched;

    AggregateTable(Accumulator accumulator, RecordType input, MemoryShare memory, BlockPool pool) {
        this.accumulator = accumulator;
        this.memory = memory;
        this.arena = new RecordArena(memory, pool);
        this.builder = new RecordBuilder(accumulator.partialType());
        this.stored = new RecordView(accumulator.partialType());
        int[] fields = accumulator.inputKeys();
        if (fields.length == 0) {
            this.hash = null;
            this.order = null;
        } else {
            int[] first = new int[fields.length];
            for (int i = 0; i < first.length; i++) {
                first[i] = i;
            }
            this.hash = KeyHash.of(Key.of(fields), input);
            this.order =
                    KeyOrder.of(Key.of(fields), input, Key.of(first), accumulator.partialType());
        }
    }

    boolean isEmpty() {
        return keys == 0;
    }

    /** The hash of a record's key. */
    long code(RecordView record) {
        return hash == null ? 0 : hash.hash(record);
    }

    /**
     * Prefetches the memory that {@link #add} will access for these hashes: the loads of many
     * records overlap, while one after the other each would be a cache miss of its own.
     */
    void fetch(long[] codes, int count) {
        if (slots.length == 0) {
            return;
        }
        for (int i = 0; i < count; i++) {
            entries[i] = slots[(int) codes[i] & mask];
        }
        long seen = 0;
        for (int i = 0; i < count; i++) {
            if (entries[i] != 0) {
                seen += arena.touch((entries[i] & PLACE_MASK) - 1);
            }
        }
        fetched += seen;
    }

    /**
     * Adds a record to its key's aggregate; returns false, without any effect, when it is a new key
     * and memory is full.
     *
     * @param code the key's hash
     */
    boolean add(RecordView record, long code) {
        if (2 * keys >= slots.length && !grow()) {
            // A table whose slots are full still accepts records of existing keys.
            return addToPresent(record, code);
        }
        long tag = code >>> PLACE_BITS;
        for (int slot = (int) code & mask; ; slot = (slot + 1) & mask) {
            long entry = slots[slot];
            if (entry == 0) {
                return insert(record, code, slot);
            }
            if (entry >>> PLACE_BITS == tag && matches(record, entry)) {
                return accumulator.add(record, stored) || replace(record, code, slot);
            }
        }
    }

    private boolean addToPresent(RecordView record, long code) {
        if (slots.length == 0) {
            return false;
        }
        long tag = code >>> PLACE_BITS;
        for (int slot = (int) code & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
            if (slots[slot] >>> PLACE_BITS == tag && matches(record, slots[slot])) {
                return accumulator.add(record, stored) || replace(record, code, slot);
            }
        }
        return false;
    }

    private boolean matches(RecordView record, long entry) {
        arena.at((entry & PLACE_MASK) - 1, stored);
        return order == null || order.equal(record, stored);
    }

    /**
     * Replaces a partial aggregate with a longer one; the old one stays in the arena as garbage.
     */
    private boolean replace(RecordView record, long code, int slot) {
        accumulator.grow(record, stored, builder);
        long place = arena.append(code, builder.finish());
        if (place < 0) {
            return false;
        }
        slots[slot] = code >>> PLACE_BITS << PLACE_BITS | (place + 1);
        replaced = true;
        return true;
    }

    private boolean insert(RecordView record, long code, int slot) {
        accumulator.begin(record, builder);
        long place = arena.append(code, builder.finish());
        if (place < 0) {
            return false;
        }
        slots[slot] = code >>> PLACE_BITS << PLACE_BITS | (place + 1);
        keys++;
        return true;
    }

    private boolean grow() {
        int size = Math.max(SLOTS_MIN, slots.length * 2);
        if (slots.length >= 1 << 29 || !memory.reserve(8L * size)) {
            if (slots.length > 0) {
                return false;
            }
            memory.force(8L * size);
        }
        memory.release(8L * slots.length);
        long[] before = slots;
        slots = new long[size];
        mask = size - 1;
        forEach(
                before,
                (code, place, _) -> {
                    int slot = (int) code & mask;
                    while (slots[slot] != 0) {
                        slot = (slot + 1) & mask;
                    }
                    slots[slot] = code >>> PLACE_BITS << PLACE_BITS | (place + 1);
                });
        return true;
    }

    /** Visits every partial aggregate with its key's hash. */
    void forEach(RecordArena.Visitor visitor) {
        forEach(slots, visitor);
    }

    private void forEach(long[] of, RecordArena.Visitor visitor) {
        if (!replaced) {
            // Sequentially, in memory order.
            arena.forEach(stored, visitor);
            return;
        }
        for (long entry : of) {
            if (entry != 0) {
                long place = (entry & PLACE_MASK) - 1;
                visitor.visit(arena.head(place), place, arena.at(place, stored));
            }
        }
    }

    void clear() {
        arena.clear();
        memory.release(8L * slots.length);
        slots = new long[0];
        keys = 0;
        replaced = false;
    }
}
