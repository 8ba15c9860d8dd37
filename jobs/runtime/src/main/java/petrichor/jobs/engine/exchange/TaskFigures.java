package petrichor.jobs.engine.exchange;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.TaskInput;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;

/**
 * What one subtask has done so far. Written by its thread block by block, read by whoever shows
 * progress: a reader may see a number that is a block old. One that is off stays at nothing.
 */
public final class TaskFigures {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final boolean on;
    private final List<ChannelMeter> channels = new CopyOnWriteArrayList<>();
    private volatile long recordsIn;
    private volatile long bytesIn;
    private volatile long recordsOut;
    private volatile long bytesOut;
    private volatile List<TaskInput> gates = List.of();
    private volatile long waitedForInputNanos;
    private volatile long waitedForReceiverNanos;
    private volatile long startedNanos;
    private volatile long endedNanos;
    private volatile long threadId;
    private volatile long cpuNanos;
    private volatile long channelBytes;
    private volatile long wireBytes;
    private volatile @Nullable String level;
    private volatile long sourceBytes;

    public TaskFigures(boolean on) {
        this.on = on;
    }

    /** Whether anybody wants to know; if not, nothing is measured. */
    public boolean on() {
        return on;
    }

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
        long waited = waitedForInputNanos;
        for (TaskInput gate : gates) {
            waited += gate.waitedNanos();
        }
        return waited;
    }

    /** How long those behind it did not take its results. */
    public long waitedForReceiverNanos() {
        long waited = waitedForReceiverNanos;
        for (ChannelMeter channel : channels) {
            waited += channel.puttingNanos();
        }
        return waited;
    }

    /** How long a processor was at it. */
    private long cpuNanos() {
        long thread = threadId;
        // -1 for a thread that is not known: it has ended, or this JVM does not measure.
        long now = thread == 0 ? cpuNanos : THREADS.getThreadCpuTime(thread);
        return now < 0 ? cpuNanos : now;
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
                waitedForInputNanos(),
                waitedForReceiverNanos(),
                elapsedNanos(),
                cpuNanos(),
                channelBytes,
                wireBytes,
                level,
                channels.stream().filter(ChannelMeter::isUsed).map(ChannelMeter::now).toList(),
                sourceBytes);
    }

    public void started() {
        if (on) {
            startedNanos = System.nanoTime();
            threadId = Thread.currentThread().threadId();
        }
    }

    public void ended() {
        if (on) {
            cpuNanos = Math.max(0, THREADS.getThreadCpuTime(threadId));
            threadId = 0;
            endedNanos = System.nanoTime();
            // The gates go with the job; what they say does not.
            long waited = waitedForInputNanos();
            gates = List.of();
            waitedForInputNanos = waited;
        }
    }

    /** Where the subtask waits for its input. */
    public void waitsAt(List<TaskInput> inputs) {
        gates = on ? inputs : List.of();
    }

    /** The subtask has a channel to this one; what it carries belongs to the figures. */
    ChannelMeter channel(SubtaskId to) {
        ChannelMeter meter = new ChannelMeter(to);
        channels.add(meter);
        return meter;
    }

    // One writer: adding to a volatile loses nothing.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void received(Block block) {
        if (on) {
            recordsIn += block.records;
            bytesIn += block.length();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void read(long records, long bytes) {
        if (on) {
            recordsIn += records;
            bytesIn += bytes;
        }
    }

    /** How many bytes of its source's splits it has read so far. */
    public void readOfSource(long bytes) {
        if (on) {
            sourceBytes = bytes;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    void sent(long records, long bytes) {
        recordsOut += records;
        bytesOut += bytes;
    }

    /** Bytes went to another process or into a file. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void shipped(long bytes, long asCompressed, String newLevel) {
        channelBytes += bytes;
        wireBytes += asCompressed;
        level = newLevel;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void written(long records) {
        if (on) {
            recordsOut += records;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    void waitedForReceiver(long nanos) {
        if (nanos != 0) {
            waitedForReceiverNanos += nanos;
        }
    }
}
