package petrichor.jobs.engine.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyHash;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * The build side of a join in memory: received blocks, kept without copying, and a hash index over
 * them that is built when all have arrived. Records with the same key form a chain from one slot.
 * Belongs to one thread.
 */
final class JoinTable {
    /**
     * Per record: its position, the link to the next record with its key, and up to two slots of
     * eight bytes.
     */
    private static final int INDEX_BYTES = 8 + 4 + 16;

    private final RecordType type;
    private final KeyHash hash;
    private final KeyOrder sameKey;
    private final KeyOrder matches;
    private final MemoryShare memory;
    private final BlockPool pool;
    private final List<Block> blocks = new ArrayList<>();
    private final RecordView stored;
    private byte[][] arrays = {};
    private long[] slots = {};
    private long[] places = {};
    private int[] next = {};
    private int mask;
    private int records;
    private long reserved;

    JoinTable(
            Key build,
            RecordType buildType,
            Key probe,
            RecordType probeType,
            MemoryShare memory,
            BlockPool pool) {
        this.type = buildType;
        this.hash = KeyHash.of(build, buildType);
        this.sameKey = KeyOrder.of(build, buildType);
        this.matches = KeyOrder.of(probe, probeType, build, buildType);
        this.memory = memory;
        this.pool = pool;
        this.stored = new RecordView(buildType);
    }

    /** Takes ownership of the block, or refuses it because memory is full. */
    boolean add(Block block) {
        long bytes = block.bytes() + (long) INDEX_BYTES * block.records;
        if (!memory.reserve(bytes)) {
            return false;
        }
        blocks.add(block);
        records += block.records;
        reserved += bytes;
        return true;
    }

    /** Takes ownership of the block although memory is full, to guarantee progress. */
    void force(Block block) {
        long bytes = block.bytes() + (long) INDEX_BYTES * block.records;
        memory.force(bytes);
        blocks.add(block);
        records += block.records;
        reserved += bytes;
    }

    boolean isEmpty() {
        return blocks.isEmpty();
    }

    /** Transfers the ownership of all blocks, and their memory, to the caller. */
    List<Block> takeBlocks() {
        List<Block> all = List.copyOf(blocks);
        blocks.clear();
        clear();
        return all;
    }

    /** Builds the index; no blocks may be added afterwards. */
    void index() {
        int size = Integer.highestOneBit(Math.max(16, records)) * 2;
        slots = new long[size];
        mask = size - 1;
        places = new long[records + 1];
        next = new int[records + 1];
        arrays = new byte[blocks.size()][];
        RecordView view = new RecordView(type);
        int number = 0;
        for (int b = 0; b < arrays.length; b++) {
            Block block = blocks.get(b);
            arrays[b] = block.array;
            for (int at = block.begin; at < block.end; at += view.bytes()) {
                view.at(block.array, at);
                places[++number] = (long) b << 32 | at;
                insert(view, number);
            }
        }
    }

    private void insert(RecordView record, int number) {
        long code = hash.hash(record);
        long tag = code >>> 32;
        int slot = (int) code & mask;
        while (slots[slot] != 0) {
            int other = (int) slots[slot];
            if (slots[slot] >>> 32 == tag && sameKey.equal(record, at(other))) {
                next[number] = other;
                break;
            }
            slot = (slot + 1) & mask;
        }
        slots[slot] = tag << 32 | number;
    }

    /** The first record of the build side with the key of the probe, or 0. */
    int find(RecordView probe, long code) {
        long tag = code >>> 32;
        for (int slot = (int) code & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
            int number = (int) slots[slot];
            if (slots[slot] >>> 32 == tag && matches.equal(probe, at(number))) {
                return number;
            }
        }
        return 0;
    }

    /** The next record with the same key, or 0. */
    int next(int number) {
        return next[number];
    }

    /** The record of this number, in a view that the table reuses. */
    RecordView at(int number) {
        long place = places[number];
        return stored.at(arrays[(int) (place >>> 32)], (int) place);
    }

    void clear() {
        for (Block block : blocks) {
            pool.give(block);
        }
        blocks.clear();
        Arrays.fill(arrays, new byte[0]);
        slots = new long[0];
        places = new long[0];
        next = new int[0];
        records = 0;
        memory.release(reserved);
        reserved = 0;
    }
}
