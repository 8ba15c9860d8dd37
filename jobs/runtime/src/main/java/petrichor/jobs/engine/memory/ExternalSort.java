package petrichor.jobs.engine.memory;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * External merge sort: data that does not fit into memory is sorted in parts, spilled to disk as
 * runs, and merged. Belongs to one thread.
 */
public final class ExternalSort implements AutoCloseable {
    /**
     * Maximum fan-in of a merge: with more runs, reads become too small, however much memory there
     * is.
     */
    private static final int FAN_IN_MAX = 256;

    /**
     * The last part stays in memory if the read buffers of the runs need at most this fraction of
     * it.
     */
    private static final int READING_PART = 8;

    private final Key key;
    private final RecordType type;
    private final MemoryShare memory;
    private final Workspace space;
    private final SortBuffer buffer;
    private @Nullable SpillFile file;
    private List<Run> runs = new ArrayList<>();

    /** A sorted run in the file. */
    private record Run(long from, long to) {}

    public ExternalSort(Key key, RecordType type, MemoryShare memory, Workspace space) {
        this.key = key;
        this.type = type;
        this.memory = memory;
        this.space = space;
        this.buffer = new SortBuffer(key, type, memory, space.pool());
    }

    /** Takes ownership of the block. */
    public void add(Block block) {
        if (!buffer.add(block)) {
            spill();
            buffer.add(block);
        }
    }

    /** All records in order. Closing the stream closes the sort. */
    public RecordStream sorted() {
        SpillFile spilled = file;
        if (spilled == null) {
            return buffer.sorted();
        }
        if (!readsBesideTheBuffer()) {
            spill();
        }
        while (runs.size() > fanIn()) {
            mergePass(spilled);
            spilled = file();
        }
        List<RecordStream> parts = streams(spilled, runs);
        if (!buffer.isEmpty()) {
            // Last, to be stable: equal records keep the order of arrival.
            parts.add(buffer.sorted());
        }
        MergingStream merged = new MergingStream(parts, key, type);
        return new RecordStream() {
            @Override
            public @Nullable RecordView next() {
                return merged.next();
            }

            @Override
            public void close() {
                merged.close();
                ExternalSort.this.close();
            }
        };
    }

    private boolean readsBesideTheBuffer() {
        return runs.size() < fanIn()
                && (long) runs.size() * BlockPool.blockBytes() <= memory.limit() / READING_PART;
    }

    private int fanIn() {
        return Math.clamp(memory.limit() / BlockPool.blockBytes(), 2, FAN_IN_MAX);
    }

    private void spill() {
        if (buffer.isEmpty()) {
            return;
        }
        SpillFile target = file();
        try (RecordStream sorted = buffer.sorted()) {
            runs.add(write(sorted, target));
        }
    }

    private Run write(RecordStream sorted, SpillFile target) {
        long from = target.size();
        int untilCheck = 0;
        for (RecordView record = sorted.next(); record != null; record = sorted.next()) {
            if (untilCheck-- == 0) {
                space.control().check();
                untilCheck = Workspace.RECORDS_BETWEEN_CHECKS;
            }
            target.append(record);
        }
        target.flush();
        return new Run(from, target.size());
    }

    /** Merges groups of runs into longer ones, in a new file. */
    private void mergePass(SpillFile old) {
        SpillFile target = space.spillFile();
        try {
            List<Run> longer = new ArrayList<>();
            for (int i = 0; i < runs.size(); i += fanIn()) {
                List<Run> some = runs.subList(i, Math.min(runs.size(), i + fanIn()));
                try (MergingStream merged = new MergingStream(streams(old, some), key, type)) {
                    longer.add(write(merged, target));
                }
            }
            runs = longer;
        } finally {
            old.close();
            file = target;
        }
    }

    private List<RecordStream> streams(SpillFile spilled, List<Run> some) {
        List<RecordStream> streams = new ArrayList<>();
        for (Run run : some) {
            streams.add(new SpilledStream(spilled, run.from(), run.to(), type, space.pool()));
        }
        return streams;
    }

    private SpillFile file() {
        SpillFile opened = file;
        if (opened == null) {
            opened = space.spillFile();
            file = opened;
        }
        return opened;
    }

    @Override
    public void close() {
        buffer.clear();
        SpillFile opened = file;
        if (opened != null) {
            file = null;
            opened.close();
        }
    }
}
