package petrichor.jobs.channels;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One channel of a gate: a queue of the blocks that its sender has sent, first those in memory,
 * then those on disk; or a file that is read block by block. Guarded by the gate's lock, but for
 * {@link #opener} and {@link #file}, which only the one receiver uses.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // written under the gate's lock
final class InputChannel {
    /** Half a megabyte ahead per channel keeps both sides busy; more only cools the caches. */
    static final int BLOCKS_MAX = 4;

    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private final @Nullable Overflow overflow;
    private @Nullable RemoteChannel remote;
    private @Nullable SpillReader file;
    private @Nullable BlockOpener opener;
    private int blocksMax = BLOCKS_MAX;
    private volatile long released;

    /** Blocks in memory. */
    private volatile int queued;

    private boolean ended;

    /**
     * @param overflow for what is ahead; null where the sender waits
     */
    InputChannel(@Nullable Overflow overflow) {
        this.overflow = overflow;
    }

    /** A connection feeds it, within its credits. */
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

    /** Opens the packed blocks that come. */
    BlockOpener opener(BlockPool pool) {
        BlockOpener used = opener;
        if (used == null) {
            used = new BlockOpener(pool, remote == null ? "a channel" : remote.name());
            opener = used;
        }
        return used;
    }

    /** Whether there are as many blocks in memory as there may be. */
    boolean isFull() {
        return blocks.size() >= blocksMax;
    }

    boolean isElastic() {
        return overflow != null;
    }

    /**
     * Takes the block over.
     *
     * @return whether its sender may have another credit at once: what is ahead goes to disk
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

    /** How many blocks no longer use up credits: those that were taken, or may go to disk. */
    long released() {
        return released;
    }

    int blocks() {
        return queued;
    }

    /** Whether there is something to take, if only the end of a file. */
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

    /** Whether its sender has ended and everything was taken. */
    boolean isOver() {
        return ended && blocks.isEmpty() && (overflow == null || overflow.isEmpty());
    }

    /** Drops what it holds, and closes what it opens blocks with. */
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
