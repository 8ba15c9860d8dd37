package petrichor.jobs.engine.memory;

import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Words;

/**
 * Spilled records, partitioned over files by the hash of their key, so that each partition may fit
 * into memory. Belongs to one thread.
 */
final class SpillPartitions implements AutoCloseable {
    static final int COUNT = 16;

    /**
     * Each level of recursion uses other bits of the hash. Beyond the last, equal hashes mean equal
     * keys.
     */
    static final int LEVELS_MAX = 6;

    private final SpillFile[] files = new SpillFile[COUNT];
    private final int level;

    SpillPartitions(int level, Workspace space) {
        this.level = level;
        for (int i = 0; i < COUNT; i++) {
            files[i] = space.spillFile();
        }
    }

    static int partition(long hash, int level) {
        return (int) Words.mix(hash + level) & (COUNT - 1);
    }

    void append(long hash, RecordView record) {
        files[partition(hash, level)].append(record);
    }

    SpillFile file(int partition) {
        return files[partition];
    }

    long records() {
        long sum = 0;
        for (SpillFile file : files) {
            sum += file.records();
        }
        return sum;
    }

    void flush() {
        for (SpillFile file : files) {
            file.flush();
        }
    }

    @Override
    public void close() {
        for (SpillFile file : files) {
            file.close();
        }
    }
}
