package petrichor.jobs.engine.memory;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * Records that are read repeatedly: in memory while it lasts, then on disk. Belongs to one thread;
 * one replay at a time.
 */
public final class ReplayBuffer implements AutoCloseable {
    private final RecordType type;
    private final MemoryShare memory;
    private final Workspace space;
    private final List<Block> blocks = new ArrayList<>();
    private @Nullable SpillFile file;

    public ReplayBuffer(RecordType type, MemoryShare memory, Workspace space) {
        this.type = type;
        this.memory = memory;
        this.space = space;
    }

    /** Copies a record; false when memory is full. */
    public boolean addInMemory(RecordView record) {
        int bytes = record.bytes();
        Block block = blocks.isEmpty() ? null : blocks.getLast();
        if (block == null || block.free() < bytes) {
            int wanted = Math.max(bytes, BlockPool.blockBytes());
            if (!memory.reserve(wanted)) {
                if (!blocks.isEmpty()) {
                    return false;
                }
                memory.force(wanted);
            }
            block = space.pool().take(bytes);
            blocks.add(block);
        }
        record.copyTo(block.array, block.end);
        block.end += bytes;
        block.records++;
        return true;
    }

    /** Copies a record, to disk when memory is full. */
    public void add(RecordView record) {
        SpillFile spilled = file;
        if (spilled == null) {
            if (addInMemory(record)) {
                return;
            }
            spilled = space.spillFile();
            file = spilled;
        }
        spilled.append(record);
    }

    public boolean isEmpty() {
        return blocks.isEmpty();
    }

    /** All records in insertion order. */
    public RecordStream replay() {
        SpillFile spilled = file;
        if (spilled != null) {
            spilled.flush();
        }
        BlockCursor cursor = new BlockCursor(type);
        RecordStream behind =
                spilled == null
                        ? () -> null
                        : new SpilledStream(spilled, 0, spilled.size(), type, space.pool());
        return new RecordStream() {
            private int next;

            @Override
            public @Nullable RecordView next() {
                RecordView record = cursor.next();
                while (record == null && next < blocks.size()) {
                    cursor.over(blocks.get(next++));
                    record = cursor.next();
                }
                return record == null ? behind.next() : record;
            }

            @Override
            public void close() {
                behind.close();
            }
        };
    }

    public void clear() {
        for (Block block : blocks) {
            memory.release(block.bytes());
            space.pool().give(block);
        }
        blocks.clear();
        SpillFile spilled = file;
        if (spilled != null) {
            file = null;
            spilled.close();
        }
    }

    @Override
    public void close() {
        clear();
    }
}
