package petrichor.jobs.channels;

import java.util.ArrayDeque;

/**
 * The blocks of a job in this process, used again and again. They are cut out of large arrays,
 * because a collector that moves survivors leaves those where they are. Taking a block never waits:
 * channels, gates and memory shares bound what is in use, so that tasks which share the pool cannot
 * block each other. Safe for all threads; a block that is not returned is collected with its
 * neighbours when the job is forgotten.
 */
public final class BlockPool {
    private static final int BLOCKS_PER_SLAB = 16;

    /**
     * With the array's header a slab stays within 2 MB: a whole number of the collector's regions.
     */
    private static final int SLAB_BYTES = BLOCKS_PER_SLAB * Block.FRAME_BYTES_MAX - 1024;

    private static final int STRIDE = SLAB_BYTES / BLOCKS_PER_SLAB;
    private static final int ROOM = STRIDE - Block.HEADROOM;

    private final ArrayDeque<Block> free = new ArrayDeque<>();
    private int lent;
    private long taken;

    /** An ordinary block. */
    public Block take() {
        synchronized (free) {
            lent++;
            taken++;
            if (free.isEmpty()) {
                byte[] slab = new byte[SLAB_BYTES];
                for (int i = 0; i < BLOCKS_PER_SLAB; i++) {
                    free.addLast(cut(slab, i));
                }
            }
            Block block = free.removeLast();
            block.lent = true;
            return block;
        }
    }

    private static Block cut(byte[] slab, int number) {
        int from = number * STRIDE;
        return new Block(slab, from + Block.HEADROOM, from + STRIDE);
    }

    /** A block with room for this many bytes: an ordinary one unless they are more. */
    public Block take(int bytes) {
        if (bytes <= ROOM) {
            return take();
        }
        int all = Block.HEADROOM + bytes;
        return new Block(new byte[all], Block.HEADROOM, all);
    }

    /**
     * A block that will be filled with what {@link Block#records} and the length of another say.
     */
    public Block take(int bytes, int records) {
        if (records == Block.PACKED) {
            return takePacked(bytes);
        }
        Block block = take(bytes);
        block.end += bytes;
        block.records = records;
        return block;
    }

    /** A block for a header and stored bytes, {@code bytes} together. */
    Block takePacked(int bytes) {
        int stored = bytes - BlockHeader.BYTES;
        return take(stored).pack(stored);
    }

    /** Takes a block back, which nobody may use any more. */
    public void give(Block block) {
        if (block.bytes() == ROOM) {
            synchronized (free) {
                if (!block.lent) {
                    throw new IllegalStateException("a block was given back twice");
                }
                block.lent = false;
                lent--;
                free.addLast(block.empty());
            }
        }
    }

    /** How many ordinary blocks are in use. */
    public int lent() {
        synchronized (free) {
            return lent;
        }
    }

    /** How many ordinary blocks were taken so far: one for each copy of a block's content. */
    long taken() {
        synchronized (free) {
            return taken;
        }
    }

    /** How much an ordinary block holds. */
    public static int blockBytes() {
        return ROOM;
    }
}
