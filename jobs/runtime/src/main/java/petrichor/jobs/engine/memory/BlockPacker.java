package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.RecordView;

/** Copies records into blocks and passes full ones on. Belongs to one thread. */
public final class BlockPacker {
    /** Takes ownership of a block. */
    public interface Receiver {
        void block(Block block);
    }

    private final BlockPool pool;
    private final Receiver receiver;
    private @Nullable Block open;

    public BlockPacker(BlockPool pool, Receiver receiver) {
        this.pool = pool;
        this.receiver = receiver;
    }

    public void add(RecordView record) {
        int bytes = record.bytes();
        Block block = open;
        if (block == null || block.free() < bytes) {
            flush();
            block = pool.take(bytes);
            open = block;
        }
        record.copyTo(block.array, block.end);
        block.end += bytes;
        block.records++;
    }

    public void flush() {
        Block block = open;
        if (block != null) {
            open = null;
            receiver.block(block);
        }
    }
}
