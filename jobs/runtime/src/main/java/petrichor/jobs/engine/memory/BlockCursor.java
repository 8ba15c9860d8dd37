package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Iterates over the records of a sequence of blocks. Belongs to one thread. */
final class BlockCursor {
    private final RecordView view;
    private byte[] array = {};
    private int at;
    private int end;

    BlockCursor(RecordType type) {
        view = new RecordView(type);
    }

    void over(Block block) {
        array = block.array;
        at = block.begin;
        end = block.end;
    }

    @Nullable RecordView next() {
        if (at >= end) {
            return null;
        }
        RecordView record = view.at(array, at);
        at += record.bytes();
        return record;
    }
}
