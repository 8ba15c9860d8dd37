package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Record;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.Slice;
import petrichor.jobs.records.Words;

/**
 * Counts by one short key: a hash table with open addressing whose slots hold the key itself, so
 * that counting a word of up to eight bytes touches one line of the processor's cache and copies
 * nothing. Stands in front of an {@link AggregateTable}, which takes all other keys; a key that was
 * refused once is refused for good, so that no key is in both.
 *
 * <p>Belongs to one thread.
 */
final class ShortKeyCounts {
    private static final int KEY_BYTES_MAX = Long.BYTES;
    private static final int SLOTS_MIN = 1 << 10;
    private static final int SLOTS_MAX = 1 << 22;

    /** A slot is the key's bytes, and its count above the bits that say how long the key is. */
    private static final int SLOT_BYTES = 2 * Long.BYTES;

    private static final int LENGTH_BITS = 4;
    private static final long LENGTH_MASK = (1L << LENGTH_BITS) - 1;

    private final MemoryShare memory;
    private final int keyField;

    /** Where partial records have their count; -1 where every record counts as one. */
    private final int countField;

    private final Slice key = new Slice();

    /** Before the first key one slot that stays empty. */
    private long[] slots = new long[2];

    private int mask;
    private int keys;
    private boolean full;

    private ShortKeyCounts(MemoryShare memory, int keyField, int countField) {
        this.memory = memory;
        this.keyField = keyField;
        this.countField = countField;
    }

    /** Null if the aggregation is not a count by one text. */
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

    /** False, and nothing counted, when the key belongs into the other table. */
    boolean add(Record record) {
        record.slice(keyField, key);
        int length = key.length();
        if (length > KEY_BYTES_MAX || record.isNull(keyField)) {
            return false;
        }
        long bytes = Words.tail(key.base(), key.at(), length);
        long more = countField < 0 ? 1 : record.int64(countField);
        int slot = place(bytes, length);
        for (long state = slots[slot + 1]; state != 0; state = slots[slot + 1]) {
            if (slots[slot] == bytes && (state & LENGTH_MASK) == length + 1) {
                slots[slot + 1] = state + (more << LENGTH_BITS);
                return true;
            }
            slot = slot + 2 & mask;
        }
        return insert(bytes, length, more);
    }

    private boolean insert(long bytes, int length, long count) {
        if (full || (4 * keys >= slots.length && !grow())) {
            full = true;
            return false;
        }
        put(bytes, count << LENGTH_BITS | length + 1);
        keys++;
        return true;
    }

    private void put(long bytes, long state) {
        int slot = place(bytes, (int) (state & LENGTH_MASK) - 1);
        while (slots[slot + 1] != 0) {
            slot = slot + 2 & mask;
        }
        slots[slot] = bytes;
        slots[slot + 1] = state;
    }

    /** The first of the two longs of a key's slot. */
    private int place(long bytes, int length) {
        return (int) Words.mix(bytes + length) << 1 & mask;
    }

    /** Twice the slots; at most half of the share, since other keys need the rest. */
    private boolean grow() {
        long[] former = slots;
        int wanted = keys == 0 ? SLOTS_MIN : former.length;
        long bytes = (long) wanted * SLOT_BYTES;
        if (wanted > SLOTS_MAX || bytes > memory.limit() / 2 || !memory.reserve(bytes)) {
            return false;
        }
        slots = new long[2 * wanted];
        mask = slots.length - 1 & ~1;
        for (int i = 0; i < former.length; i += 2) {
            if (former[i + 1] != 0) {
                put(former[i], former[i + 1]);
            }
        }
        release(former);
        return true;
    }

    /** Emits a record for each key, of key and count, and forgets them; keys may enter again. */
    void emit(RecordBuilder builder, RecordBuilder.Receiver out) {
        byte[] bytes = new byte[KEY_BYTES_MAX];
        for (int i = 0; i < slots.length; i += 2) {
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
        slots = new long[2];
        mask = 0;
        keys = 0;
        full = false;
    }

    private void release(long[] former) {
        if (former.length > 2) {
            memory.release((long) former.length * Long.BYTES);
        }
    }
}
