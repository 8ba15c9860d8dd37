package petrichor.jobs.channels;

import java.util.concurrent.ArrayBlockingQueue;

/**
 * Arrays of blocks that are used again instead of being collected. It bounds what lies idle, not
 * what is in use: that is bounded by the channels, each of which holds so many blocks and no more.
 * So taking a block never waits, and channels that share a pool cannot hold each other up. Safe for
 * any thread.
 */
public final class BlockPool {
    private final ArrayBlockingQueue<byte[]> spare;

    /**
     * @param spareBlocksMax so many arrays of {@link Block#BYTES_MAX} are kept for later
     */
    public BlockPool(int spareBlocksMax) {
        spare = new ArrayBlockingQueue<>(spareBlocksMax);
    }

    /** An empty block. */
    public Block take() {
        byte[] bytes = spare.poll();
        return new Block(bytes == null ? new byte[Block.BYTES_MAX] : bytes, this);
    }

    void giveBack(byte[] bytes) {
        spare.offer(bytes);
    }

    /** Arrays that wait to be used again. */
    int spareBlocks() {
        return spare.size();
    }
}
