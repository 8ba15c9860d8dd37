package petrichor.jobs.engine.exchange;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.memory.Block;
import petrichor.jobs.engine.memory.BlockPool;
import petrichor.jobs.engine.memory.SpillFile;

/**
 * What one sender has sent to a gate: first what is in memory, then what is on disk. Guarded by the
 * gate's lock.
 */
final class SenderQueue {
    /** Half a megabyte ahead per channel keeps both sides busy; more only cools the caches. */
    static final int BLOCKS_MAX = 4;

    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private final @Nullable SpillFile file;
    private long readFrom;
    private boolean ended;

    /**
     * @param file for what is ahead; null where the sender waits
     */
    SenderQueue(@Nullable SpillFile file) {
        this.file = file;
    }

    /** Whether there are as many blocks in memory as there may be. */
    boolean isFull() {
        return blocks.size() >= BLOCKS_MAX;
    }

    /** Takes the block over. */
    void add(Block block, BlockPool pool) {
        if (file != null && (isFull() || readFrom < file.size())) {
            file.write(block);
            pool.give(block);
        } else {
            blocks.addLast(block);
        }
    }

    @Nullable Block poll() {
        Block block = blocks.pollFirst();
        if (block == null && file != null && readFrom < file.size()) {
            block = file.read(readFrom);
            readFrom = SpillFile.after(readFrom, block);
        }
        return block;
    }

    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Whether its sender has ended and everything was taken. */
    boolean isOver() {
        return ended && blocks.isEmpty() && (file == null || readFrom >= file.size());
    }

    void drop(BlockPool pool) {
        for (Block block = blocks.pollFirst(); block != null; block = blocks.pollFirst()) {
            pool.give(block);
        }
        if (file != null) {
            readFrom = file.size();
            file.close();
        }
    }
}
