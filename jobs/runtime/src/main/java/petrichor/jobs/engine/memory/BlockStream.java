package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** The records of received blocks. Belongs to one thread. */
public final class BlockStream implements RecordStream {
    private final BlockSource blocks;
    private final BlockCursor cursor;
    private final BlockPool pool;
    private @Nullable Block block;

    public BlockStream(BlockSource blocks, RecordType type, BlockPool pool) {
        this.blocks = blocks;
        this.cursor = new BlockCursor(type);
        this.pool = pool;
    }

    @Override
    public @Nullable RecordView next() {
        RecordView record = cursor.next();
        while (record == null) {
            close();
            Block next = blocks.next();
            if (next == null) {
                return null;
            }
            block = next;
            cursor.over(next);
            record = cursor.next();
        }
        return record;
    }

    @Override
    public void close() {
        Block done = block;
        if (done != null) {
            block = null;
            pool.give(done);
        }
    }
}
