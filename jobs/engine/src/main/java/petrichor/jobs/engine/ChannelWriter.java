package petrichor.jobs.engine;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Record;

/** Collects records for one receiver into blocks. Belongs to the sending task. */
final class ChannelWriter {
    private final Receiver receiver;
    private final int sender;
    private final BlockPool pool;
    private final TaskFigures figures;
    private @Nullable Block open;

    ChannelWriter(Receiver receiver, int sender, BlockPool pool, TaskFigures figures) {
        this.receiver = receiver;
        this.sender = sender;
        this.pool = pool;
        this.figures = figures;
    }

    void write(Record record) {
        int bytes = record.bytes();
        Block block = open;
        if (block == null || block.room() < bytes) {
            block = next(bytes);
        }
        record.copyTo(block.array, block.end);
        block.end += bytes;
        block.records++;
    }

    private Block next(int bytes) {
        flush();
        Block block = pool.take(bytes);
        open = block;
        return block;
    }

    /** Sends what is collected. */
    void flush() {
        Block block = open;
        if (block != null) {
            open = null;
            figures.sent(block);
            figures.waitedForReceiver(receiver.put(sender, block));
            figures.compressed(receiver.level());
        }
    }

    void end() {
        flush();
        receiver.end(sender);
    }

    boolean enough() {
        return receiver.hasEnough();
    }
}
