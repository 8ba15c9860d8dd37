package petrichor.jobs.engine;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.SubtaskFigures;

/**
 * What one subtask has done so far. Written by its thread block by block, read by whoever shows
 * progress: a reader may see a number that is a block old.
 */
public final class TaskFigures {
    private volatile long recordsIn;
    private volatile long bytesIn;
    private volatile long recordsOut;
    private volatile long bytesOut;
    private volatile long waitedForInputNanos;
    private volatile long waitedForReceiverNanos;
    private volatile long startedNanos;
    private volatile long endedNanos;
    private volatile @Nullable String level;

    TaskFigures() {}

    public long recordsIn() {
        return recordsIn;
    }

    public long bytesIn() {
        return bytesIn;
    }

    public long recordsOut() {
        return recordsOut;
    }

    public long bytesOut() {
        return bytesOut;
    }

    /** How long it had nothing to do. */
    public long waitedForInputNanos() {
        return waitedForInputNanos;
    }

    /** How long those behind it did not take its results. */
    public long waitedForReceiverNanos() {
        return waitedForReceiverNanos;
    }

    /** From its start to its end, or to now; 0 before the start. */
    public long elapsedNanos() {
        if (startedNanos == 0) {
            return 0;
        }
        return (endedNanos == 0 ? System.nanoTime() : endedNanos) - startedNanos;
    }

    /** All of them at this moment. */
    public SubtaskFigures now() {
        return new SubtaskFigures(
                recordsIn,
                bytesIn,
                recordsOut,
                bytesOut,
                waitedForInputNanos,
                waitedForReceiverNanos,
                elapsedNanos(),
                level);
    }

    void started() {
        startedNanos = System.nanoTime();
    }

    void ended() {
        endedNanos = System.nanoTime();
    }

    // One writer: adding to a volatile loses nothing.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void received(Block block) {
        recordsIn += block.records;
        bytesIn += block.length();
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    void read(long records, long bytes) {
        recordsIn += records;
        bytesIn += bytes;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    void sent(Block block) {
        recordsOut += block.records;
        bytesOut += block.length();
    }

    /** How the newest block that went to another process was compressed. */
    void compressed(@Nullable String newLevel) {
        level = newLevel;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    void written(long records) {
        recordsOut += records;
    }

    void waitedForInput(long nanos) {
        waitedForInputNanos = nanos;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    void waitedForReceiver(long nanos) {
        if (nanos != 0) {
            waitedForReceiverNanos += nanos;
        }
    }
}
