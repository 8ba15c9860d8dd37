package petrichor.jobs.engine.memory;

import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Words;

/**
 * Append-only storage for a hash table's records, each preceded by eight bytes for the table.
 * Records never move until all are cleared. Belongs to one thread.
 */
final class RecordArena {
    /** Low bits of a position, the offset in its block; the others are the block's number. */
    private static final int OFFSET_BITS = 22;

    private static final int OFFSET_MASK = (1 << OFFSET_BITS) - 1;
    private static final int HEAD_BYTES = 8;

    /** Extent of a short key and its aggregates. */
    private static final int TOUCHED_BYTES = 40;

    private final MemoryShare memory;
    private final BlockPool pool;
    private final List<Block> blocks = new ArrayList<>();
    private byte[][] arrays = new byte[16][];
    private long reserved;

    RecordArena(MemoryShare memory, BlockPool pool) {
        this.memory = memory;
        this.pool = pool;
    }

    /**
     * Copies a record into the arena.
     *
     * @return its position (below 2^42), or -1 when memory is full; the first block is always
     *     granted
     */
    long append(long head, RecordView record) {
        int bytes = HEAD_BYTES + record.bytes();
        Block block = blocks.isEmpty() ? null : blocks.getLast();
        if (block == null || block.free() < bytes) {
            int wanted = Math.max(bytes, BlockPool.blockBytes());
            if (!memory.reserve(wanted)) {
                if (!blocks.isEmpty()) {
                    return -1;
                }
                memory.force(wanted);
            }
            reserved += wanted;
            block = pool.take(bytes);
            if (blocks.size() == arrays.length) {
                arrays = java.util.Arrays.copyOf(arrays, arrays.length * 2);
            }
            arrays[blocks.size()] = block.array;
            blocks.add(block);
        }
        long place = (long) (blocks.size() - 1) << OFFSET_BITS | block.end;
        Words.int64(block.array, block.end, head);
        record.copyTo(block.array, block.end + HEAD_BYTES);
        block.end += bytes;
        block.records++;
        return place;
    }

    /** Moves the view to the record at a position. */
    RecordView at(long place, RecordView view) {
        return view.at(
                arrays[(int) (place >>> OFFSET_BITS)], (int) (place & OFFSET_MASK) + HEAD_BYTES);
    }

    /** The eight bytes before the record at a position. */
    long head(long place) {
        return Words.int64(arrays[(int) (place >>> OFFSET_BITS)], (int) (place & OFFSET_MASK));
    }

    /** Loads the beginning of a record, which may span two cache lines. */
    int touch(long place) {
        byte[] array = arrays[(int) (place >>> OFFSET_BITS)];
        int at = (int) (place & OFFSET_MASK);
        return array[at] + array[Math.min(at + TOUCHED_BYTES, array.length - 1)];
    }

    /** Visits every record with the eight bytes before it, in insertion order. */
    interface Visitor {
        void visit(long head, long place, RecordView record);
    }

    void forEach(RecordView view, Visitor visitor) {
        for (int b = 0; b < blocks.size(); b++) {
            Block block = blocks.get(b);
            int at = block.begin;
            while (at < block.end) {
                long head = Words.int64(block.array, at);
                view.at(block.array, at + HEAD_BYTES);
                int bytes = view.bytes();
                visitor.visit(head, (long) b << OFFSET_BITS | at, view);
                at += HEAD_BYTES + bytes;
            }
        }
    }

    void clear() {
        for (Block block : blocks) {
            pool.give(block);
        }
        blocks.clear();
        memory.release(reserved);
        reserved = 0;
    }
}
