package petrichor.jobs.engine.memory;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.KeyPrefix;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * In-memory sort of whole blocks. Received blocks are kept, never copied; the sort moves pairs of a
 * key prefix and a record's position, which are made when all blocks have arrived and their number
 * is known. Belongs to one thread.
 */
public final class SortBuffer {
    /** A prefix and a position. */
    private static final int PAIR_BYTES = 16;

    /** Prefetch distance in records: the loads overlap instead of stalling one by one. */
    private static final int AHEAD = 64;

    private static final int CACHE_LINE_BYTES = 64;
    private static final int TOUCH_BYTES_MAX = 4 * CACHE_LINE_BYTES;

    /** Capacity of one array of pairs. */
    private static final int RECORDS_MAX = (Integer.MAX_VALUE - 64) / 2;

    private final RecordType type;
    private final KeyOrder order;
    private final KeyPrefix prefix;
    private final MemoryShare memory;
    private final BlockPool pool;
    private final List<Block> blocks = new ArrayList<>();
    private int records;
    private long recordBytes;

    /**
     * How much of a record is prefetched: the common record size, but no more than a few cache
     * lines.
     */
    private int touchBytes;

    private long reserved;

    /** Keeps the compiler from eliminating the loads of {@code touch}. */
    @SuppressWarnings("UnusedVariable")
    private int touched;

    public SortBuffer(Key key, RecordType type, MemoryShare memory, BlockPool pool) {
        this.type = type;
        this.order = KeyOrder.of(key, type);
        this.prefix = KeyPrefix.of(key, type);
        this.memory = memory;
        this.pool = pool;
    }

    public boolean isEmpty() {
        return records == 0;
    }

    /**
     * Takes ownership of the block, or refuses it because memory is full. An empty buffer refuses
     * none.
     */
    public boolean add(Block block) {
        long bytes = block.bytes() + (long) PAIR_BYTES * block.records;
        if (records > RECORDS_MAX - block.records || !memory.reserve(bytes)) {
            if (records > 0) {
                return false;
            }
            memory.force(bytes);
        }
        blocks.add(block);
        records += block.records;
        recordBytes += block.length();
        reserved += bytes;
        return true;
    }

    /** Sorts; closing the stream frees the buffer's memory. */
    public RecordStream sorted() {
        long[] pairs = new long[2 * records];
        touchBytes = (int) Math.min(TOUCH_BYTES_MAX, recordBytes / Math.max(1, records) - 1);
        byte[][] arrays = new byte[blocks.size()][];
        RecordView view = new RecordView(type);
        int next = 0;
        for (int b = 0; b < arrays.length; b++) {
            Block block = blocks.get(b);
            byte[] array = block.array;
            arrays[b] = array;
            long place = (long) b << 32;
            for (int at = block.begin; at < block.end; at += view.bytes()) {
                view.at(array, at);
                pairs[next] = prefix.of(view);
                pairs[next + 1] = place | at;
                next += 2;
            }
        }
        PairSort.sort(pairs, 0, records);
        new TieSort(order, prefix, type, arrays).sort(pairs, records);
        return new Sorted(pairs, arrays);
    }

    /** Frees all memory. */
    public void clear() {
        for (Block block : blocks) {
            pool.give(block);
        }
        blocks.clear();
        records = 0;
        recordBytes = 0;
        memory.release(reserved);
        reserved = 0;
    }

    private final class Sorted implements RecordStream {
        private final RecordView view = new RecordView(type);
        private final long[] pairs;
        private final byte[][] arrays;
        private final int end;
        private int next;
        private int ready;

        Sorted(long[] pairs, byte[][] arrays) {
            this.pairs = pairs;
            this.arrays = arrays;
            this.end = pairs.length / 2;
        }

        @Override
        public @Nullable RecordView next() {
            if (next == ready) {
                if (next == end) {
                    return null;
                }
                touch();
            }
            long place = pairs[2 * next + 1];
            next++;
            return view.at(arrays[(int) (place >>> 32)], (int) place);
        }

        /** Prefetches records: their positions are random, so each access would be a cache miss. */
        private void touch() {
            int to = Math.min(end, next + AHEAD);
            int seen = 0;
            for (int i = next; i < to; i++) {
                long place = pairs[2 * i + 1];
                byte[] array = arrays[(int) (place >>> 32)];
                int at = (int) place;
                int last = Math.min(at + touchBytes, array.length - 1);
                for (int line = at; line <= last; line += CACHE_LINE_BYTES) {
                    seen += array[line];
                }
                seen += array[last];
            }
            touched += seen;
            ready = to;
        }

        @Override
        public void close() {
            next = end;
            ready = end;
            clear();
        }
    }
}
