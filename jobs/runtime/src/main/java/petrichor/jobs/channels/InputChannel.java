package petrichor.jobs.channels;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One channel of a gate: a queue of received blocks, the oldest in memory and the rest on disk; or
 * a file that is read block by block. Guarded by the gate's lock, except for {@link #opener} and
 * {@link #file}, which only the one receiver uses.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // written under the gate's lock
final class InputChannel {
    /**
     * Half a megabyte of read-ahead per channel keeps both sides busy; more only evicts cache
     * lines.
     */
    static final int BLOCKS_MAX = 4;

    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private final @Nullable Overflow overflow;
    private @Nullable RemoteChannel remote;
    private @Nullable SpillReader file;
    private @Nullable BlockOpener opener;
    private int blocksMax = BLOCKS_MAX;
    private volatile long released;

    /** Number of blocks in memory. */
    private volatile int queued;

    private boolean ended;

    /**
     * @param overflow spills the blocks of a fast sender; null if the sender is blocked instead
     */
    InputChannel(@Nullable Overflow overflow) {
        this.overflow = overflow;
    }

    /** Attaches the connection that feeds the channel within its credits. */
    void feed(RemoteChannel by, int credits) {
        remote = by;
        blocksMax = credits;
    }

    void read(SpillReader from) {
        file = from;
    }

    @Nullable RemoteChannel remote() {
        return remote;
    }

    @Nullable SpillReader file() {
        return file;
    }

    /** Decoder of the packed blocks that arrive. */
    BlockOpener opener(BlockPool pool) {
        BlockOpener used = opener;
        if (used == null) {
            used = new BlockOpener(pool, remote == null ? "a channel" : remote.name());
            opener = used;
        }
        return used;
    }

    /** Whether the queue in memory is full. */
    boolean isFull() {
        return blocks.size() >= blocksMax;
    }

    boolean isElastic() {
        return overflow != null;
    }

    /**
     * Takes ownership of the block.
     *
     * @return whether its sender gets another credit at once, because the excess is spilled
     */
    boolean add(Block block, BlockPool pool) {
        if (overflow == null) {
            blocks.addLast(block);
            queued = blocks.size();
            return false;
        }
        if (isFull() || !overflow.isEmpty()) {
            overflow.add(block);
            pool.give(block);
        } else {
            blocks.addLast(block);
            queued = blocks.size();
        }
        released = released + 1;
        return true;
    }

    @Nullable Block poll() {
        Block block = blocks.pollFirst();
        queued = blocks.size();
        if (overflow == null) {
            released = released + (block == null ? 0 : 1);
            return block;
        }
        return block == null ? overflow.poll() : block;
    }

    /** Number of blocks that no longer use up credits: taken, or eligible for spilling. */
    long released() {
        return released;
    }

    int blocks() {
        return queued;
    }

    /** Whether there is something to take, even if only the end of a file. */
    boolean hasBlocks() {
        return !blocks.isEmpty()
                || (overflow != null && !overflow.isEmpty())
                || (file != null && !ended);
    }

    /** INTERNAL if the stream has ended within a block. */
    void checkWhole() {
        if (opener != null) {
            opener.checkWhole();
        }
    }

    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Whether its sender has ended and every block was taken. */
    boolean isOver() {
        return ended && blocks.isEmpty() && (overflow == null || overflow.isEmpty());
    }

    /** Drops its blocks and closes its decoder. */
    void drop(BlockPool pool) {
        for (Block block = blocks.pollFirst(); block != null; block = blocks.pollFirst()) {
            pool.give(block);
        }
        if (overflow != null) {
            overflow.close();
        }
        if (opener != null) {
            opener.close();
        }
        if (file != null) {
            file.close();
        }
    }
}
