package petrichor.jobs.engine.memory;

import java.util.ArrayDeque;

/**
 * Blocks that are used again and again. They are cut out of large arrays, because a collector that
 * moves survivors leaves those where they are. Safe for all threads; a block that is not returned
 * is collected with its neighbours when the job is forgotten.
 */
public final class BlockPool {
    private static final int BLOCKS_PER_SLAB = 16;

    /**
     * With the array's header a slab stays within 2 MB: a whole number of the collector's regions.
     */
    private static final int SLAB_BYTES = BLOCKS_PER_SLAB * Block.BYTES - 1024;

    private static final int ROOM = SLAB_BYTES / BLOCKS_PER_SLAB;

    private final ArrayDeque<Block> free = new ArrayDeque<>();
    private int lent;

    Block take() {
        synchronized (free) {
            lent++;
            Block block = free.pollLast();
            if (block != null) {
                return block;
            }
        }
        byte[] slab = new byte[SLAB_BYTES];
        Block first = new Block(slab, 0, ROOM);
        synchronized (free) {
            for (int i = 1; i < BLOCKS_PER_SLAB; i++) {
                free.addLast(new Block(slab, i * ROOM, (i + 1) * ROOM));
            }
        }
        return first;
    }

    /** A block with room for this many bytes: an ordinary one unless they are more. */
    public Block take(int bytes) {
        return bytes <= ROOM ? take() : new Block(new byte[bytes], 0, bytes);
    }

    public void give(Block block) {
        if (block.bytes() == ROOM) {
            block.empty();
            synchronized (free) {
                lent--;
                free.addLast(block);
            }
        }
    }

    /** How many ordinary blocks are in somebody's hands. */
    public int lent() {
        synchronized (free) {
            return lent;
        }
    }

    /** How much an ordinary block takes. */
    public static int blockBytes() {
        return ROOM;
    }
}
