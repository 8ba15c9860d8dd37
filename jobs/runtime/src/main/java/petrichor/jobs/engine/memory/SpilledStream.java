package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Reads a part of a spill file, which its owner closes. */
final class SpilledStream implements RecordStream {
    private final SpillFile file;
    private final BlockPool pool;
    private final BlockCursor cursor;
    private final long end;
    private long at;
    private @Nullable Block block;

    SpilledStream(SpillFile file, long from, long end, RecordType type, BlockPool pool) {
        this.file = file;
        this.pool = pool;
        this.cursor = new BlockCursor(type);
        this.at = from;
        this.end = end;
    }

    @Override
    public @Nullable RecordView next() {
        RecordView record = cursor.next();
        while (record == null && at < end) {
            giveBack();
            Block next = file.read(at);
            block = next;
            at = SpillFile.after(at, next);
            cursor.over(next);
            record = cursor.next();
        }
        return record;
    }

    private void giveBack() {
        Block done = block;
        if (done != null) {
            block = null;
            pool.give(done);
        }
    }

    @Override
    public void close() {
        giveBack();
        at = end;
    }
}
