package petrichor.tables;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.transactions.Row;

/**
 * The writes of a transaction, by key, with their order: readers see the buffer as it was after a
 * given number of writes, and writes after a mark can be undone. Confined to one thread.
 */
final class WriteBuffer {
    /** Memory of an entry in addition to its key and values. */
    private static final int ENTRY_BYTES = 120;

    /**
     * A write of a key.
     *
     * @param value null removes the row
     * @param number of the write, from 0
     */
    record Version(byte @Nullable [] value, int number, @Nullable Version previous) {}

    /** A written key. */
    static final class Entry {
        final byte[] key;
        private @Nullable Version newest;
        private boolean priorKnown;
        private @Nullable Row prior;

        private Entry(byte[] key) {
            this.key = key;
        }

        /** The newest write before the mark; null if there is none. */
        @Nullable Version before(int mark) {
            Version version = newest;
            while (version != null && version.number() >= mark) {
                version = version.previous();
            }
            return version;
        }

        byte @Nullable [] newestValue() {
            return newest == null ? null : newest.value();
        }

        boolean priorKnown() {
            return priorKnown;
        }

        @Nullable Row prior() {
            return prior;
        }

        void prior(@Nullable Row row) {
            prior = row;
            priorKnown = true;
        }
    }

    private final TreeMap<byte[], Entry> entries = new TreeMap<>(Bytes::compare);
    private final List<Entry> order = new ArrayList<>();
    private long bytes;

    /** The number of writes so far: a mark for readers and for {@link #undo}. */
    int mark() {
        return order.size();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Approximate memory of the writes. */
    long bytes() {
        return bytes;
    }

    Collection<Entry> entries() {
        return entries.values();
    }

    @Nullable Entry find(byte[] key) {
        return entries.isEmpty() ? null : entries.get(key);
    }

    /** The first entry after {@code from}, or at it. */
    @Nullable Entry ceiling(byte[] from) {
        Map.Entry<byte[], Entry> found = entries.ceilingEntry(from);
        return found == null ? null : found.getValue();
    }

    /** The last entry before {@code to}; null: the last. */
    @Nullable Entry lower(byte @Nullable [] to) {
        Map.Entry<byte[], Entry> found = to == null ? entries.lastEntry() : entries.lowerEntry(to);
        return found == null ? null : found.getValue();
    }

    Entry write(byte[] key, byte @Nullable [] value) {
        Entry entry = entries.get(key);
        if (entry == null) {
            entry = new Entry(key);
            entries.put(key, entry);
        }
        entry.newest = new Version(value, order.size(), entry.newest);
        order.add(entry);
        bytes += size(key, value);
        return entry;
    }

    private static long size(byte[] key, byte @Nullable [] value) {
        return ENTRY_BYTES + (long) key.length + (value == null ? 0 : value.length);
    }

    /** Removes all writes since the mark. */
    void undo(int mark) {
        while (order.size() > mark) {
            Entry entry = order.removeLast();
            Version undone = entry.newest;
            if (undone != null) {
                bytes -= size(entry.key, undone.value());
                entry.newest = undone.previous();
            }
            if (entry.newest == null) {
                entries.remove(entry.key);
            }
        }
    }
}
