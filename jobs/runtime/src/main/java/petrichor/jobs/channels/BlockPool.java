package petrichor.jobs.channels;

import java.util.ArrayDeque;

/**
 * The reusable blocks of a job in this process. They are slices of large arrays, which a copying
 * garbage collector does not move. Taking a block never waits: channels, gates and memory shares
 * bound what is in use, so tasks that share the pool cannot block each other. Safe for all threads.
 * A block that is not returned is collected, with its neighbours, when the job ends.
 */
public final class BlockPool {
    private static final int BLOCKS_PER_SLAB = 16;

    /**
     * Including the array's header a slab stays within 2 MB, a multiple of the collector's region
     * size.
     */
    private static final int SLAB_BYTES = BLOCKS_PER_SLAB * Block.FRAME_BYTES_MAX - 1024;

    private static final int STRIDE = SLAB_BYTES / BLOCKS_PER_SLAB;
    private static final int CAPACITY = STRIDE - Block.HEADROOM;

    private final ArrayDeque<Block> free = new ArrayDeque<>();
    private int lent;
    private long taken;

    /** Takes a block of the ordinary size. */
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

    /**
     * Takes a block with a capacity of at least {@code bytes}: of the ordinary size if that is
     * enough.
     */
    public Block take(int bytes) {
        if (bytes <= CAPACITY) {
            return take();
        }
        int all = Block.HEADROOM + bytes;
        return new Block(new byte[all], Block.HEADROOM, all);
    }

    /** Takes a block for the given {@link Block#records} and length of another block. */
    public Block take(int bytes, int records) {
        if (records == Block.PACKED) {
            return takePacked(bytes);
        }
        Block block = take(bytes);
        block.end += bytes;
        block.records = records;
        return block;
    }

    /** Takes a block for a header and stored bytes, {@code bytes} together. */
    Block takePacked(int bytes) {
        int stored = bytes - BlockHeader.BYTES;
        return take(stored).pack(stored);
    }

    /** Returns a block, which must not be used afterwards. */
    public void give(Block block) {
        if (block.bytes() == CAPACITY) {
            synchronized (free) {
                if (!block.lent) {
                    throw new IllegalStateException("a block was returned twice");
                }
                block.lent = false;
                lent--;
                free.addLast(block.empty());
            }
        }
    }

    /** Number of ordinary blocks in use. */
    public int lent() {
        synchronized (free) {
            return lent;
        }
    }

    /** Number of ordinary blocks taken so far: one for each copy of a block's content. */
    long taken() {
        synchronized (free) {
            return taken;
        }
    }

    /** Capacity of an ordinary block. */
    public static int blockBytes() {
        return CAPACITY;
    }
}
