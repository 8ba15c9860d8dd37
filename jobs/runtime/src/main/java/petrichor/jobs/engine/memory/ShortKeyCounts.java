package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Slice;
import petrichor.jobs.records.Words;

/**
 * Counts by one short key: a hash table with open addressing whose slots hold the key itself, so
 * that counting a word of up to eight bytes touches one cache line and copies nothing. It precedes
 * an {@link AggregateTable}, which takes all other keys. The first new key without a free slot
 * closes the table for new keys, so that no key is ever in both tables.
 *
 * <p>The hash function is public and has no seed, so keys can be chosen to collide. A lookup
 * therefore inspects at most {@link #PROBES_MAX} slots; a new key that needs more closes the table.
 *
 * <p>Belongs to one thread.
 */
final class ShortKeyCounts {
    private static final int KEY_BYTES_MAX = Long.BYTES;
    private static final int SLOTS_MIN = 1 << 10;

    /**
     * 4 MB: beyond it a lookup is a cache miss, and the other table, which prefetches for many
     * records at a time, is faster (four million keys: by a seventh).
     */
    private static final int SLOTS_MAX = 1 << 18;

    /**
     * Slots that one lookup inspects. At half load, runs of 100 occupied slots do not occur by
     * chance in so few slots.
     */
    static final int PROBES_MAX = 128;

    /** A slot is the key's bytes, and its count above the bits that hold the key's length. */
    private static final int SLOT_LONGS = 2;

    private static final int SLOT_BYTES = SLOT_LONGS * Long.BYTES;

    private static final int LENGTH_BITS = 4;
    private static final long LENGTH_MASK = (1L << LENGTH_BITS) - 1;

    private final MemoryShare memory;
    private final int keyField;

    /** Field of the count in partial aggregates; -1 where every record counts as one. */
    private final int countField;

    private final Slice key = new Slice();

    /** Before the first key a single empty slot, which ends every lookup; never filled. */
    private long[] slots = new long[SLOT_LONGS];

    private int mask;
    private int keys;
    private boolean full;

    private ShortKeyCounts(MemoryShare memory, int keyField, int countField) {
        this.memory = memory;
        this.keyField = keyField;
        this.countField = countField;
    }

    /** Null unless the aggregation is a count grouped by one text field. */
    static @Nullable ShortKeyCounts of(
            Aggregation aggregation, Aggregation.Step step, RecordType input, MemoryShare memory) {
        boolean merging = step == Aggregation.Step.FINAL;
        if (aggregation.keys().size() != 1
                || aggregation.aggregates().size() != 1
                || aggregation.aggregates().getFirst().kind() != Aggregate.Kind.COUNT) {
            return null;
        }
        int keyField = merging ? 0 : aggregation.keys().getFirst();
        return input.type(keyField).isVariable()
                ? new ShortKeyCounts(memory, keyField, merging ? 1 : -1)
                : null;
    }

    /** False, without counting, when the key belongs in the other table. */
    boolean add(RecordView record) {
        record.slice(keyField, key);
        int length = key.length();
        if (length > KEY_BYTES_MAX || record.isNull(keyField)) {
            return false;
        }
        long bytes = Words.tail(key.base(), key.at(), length);
        long more = countField < 0 ? 1 : record.int64(countField);
        int slot = place(bytes, length);
        for (int probes = 0; probes < PROBES_MAX; probes++) {
            long state = slots[slot + 1];
            if (state == 0) {
                return insert(slot, bytes, length, more);
            }
            if (slots[slot] == bytes && (state & LENGTH_MASK) == length + 1) {
                slots[slot + 1] = state + (more << LENGTH_BITS);
                return true;
            }
            slot = slot + SLOT_LONGS & mask;
        }
        full = true;
        return false;
    }

    private boolean insert(int free, long bytes, int length, long count) {
        if (full) {
            return false;
        }
        long state = count << LENGTH_BITS | length + 1;
        if (isHalfFull()) {
            if (!grow() || !put(slots, mask, bytes, state)) {
                full = true;
                return false;
            }
        } else {
            slots[free] = bytes;
            slots[free + 1] = state;
        }
        keys++;
        return true;
    }

    /** Also true of the single slot before the first key. */
    private boolean isHalfFull() {
        return 2 * SLOT_LONGS * (keys + 1) > slots.length;
    }

    /** Inserts a new key; false, without any effect, if that takes too many probes. */
    private static boolean put(long[] slots, int mask, long bytes, long state) {
        int slot = place(bytes, (int) (state & LENGTH_MASK) - 1, mask);
        for (int probes = 0; probes < PROBES_MAX; probes++) {
            if (slots[slot + 1] == 0) {
                slots[slot] = bytes;
                slots[slot + 1] = state;
                return true;
            }
            slot = slot + SLOT_LONGS & mask;
        }
        return false;
    }

    private int place(long bytes, int length) {
        return place(bytes, length, mask);
    }

    /** Index of the first of the two longs of a key's slot. */
    private static int place(long bytes, int length, int mask) {
        return (int) Words.mix(bytes + length) << 1 & mask;
    }

    /**
     * Doubles the slots, to at most half of the share, since other keys need the rest. False,
     * without any change, if there is no memory for it or a key would be beyond the reach of a
     * lookup.
     */
    private boolean grow() {
        long[] former = slots;
        int wanted = keys == 0 ? SLOTS_MIN : former.length;
        long bytes = (long) wanted * SLOT_BYTES;
        if (wanted > SLOTS_MAX || bytes > memory.limit() / 2 || !memory.reserve(bytes)) {
            return false;
        }
        long[] larger = new long[SLOT_LONGS * wanted];
        int largerMask = larger.length - 1 & -SLOT_LONGS;
        for (int i = 0; i < former.length; i += SLOT_LONGS) {
            if (former[i + 1] != 0 && !put(larger, largerMask, former[i], former[i + 1])) {
                memory.release(bytes);
                return false;
            }
        }
        slots = larger;
        mask = largerMask;
        release(former);
        return true;
    }

    /**
     * Emits a record of key and count for each key, and clears the table, which accepts new keys
     * again.
     */
    void emit(RecordBuilder builder, RecordBuilder.RecordConsumer out) {
        byte[] bytes = new byte[KEY_BYTES_MAX];
        for (int i = 0; i < slots.length; i += SLOT_LONGS) {
            long state = slots[i + 1];
            if (state != 0) {
                Words.int64(bytes, 0, slots[i]);
                builder.start()
                        .bytes(0, bytes, 0, (int) (state & LENGTH_MASK) - 1)
                        .int64(1, state >>> LENGTH_BITS);
                out.accept(builder.finish());
            }
        }
        clear();
    }

    void clear() {
        release(slots);
        slots = new long[SLOT_LONGS];
        mask = 0;
        keys = 0;
        full = false;
    }

    private void release(long[] former) {
        if (former.length > SLOT_LONGS) {
            memory.release((long) former.length * Long.BYTES);
        }
    }
}
