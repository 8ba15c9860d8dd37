package petrichor.jobs.engine.exchange;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.TaskInput;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;

/**
 * Live metrics of one subtask. Written by its thread once per block; a reader may see a number that
 * is one block old. All zero if measuring is off.
 */
public final class TaskMetrics {
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

    public TaskMetrics(boolean on) {
        this.on = on;
    }

    /** Whether measuring is on. */
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

    /** How long it waited for input. */
    public long waitedForInputNanos() {
        long waited = waitedForInputNanos;
        for (TaskInput gate : gates) {
            waited += gate.waitedNanos();
        }
        return waited;
    }

    /** How long it was blocked by back-pressure. */
    public long waitedForReceiverNanos() {
        long waited = waitedForReceiverNanos;
        for (ChannelMeter channel : channels) {
            waited += channel.puttingNanos();
        }
        return waited;
    }

    /** Processor time. */
    private long cpuNanos() {
        long thread = threadId;
        // -1 for an unknown thread: it has ended, or this JVM does not measure processor time.
        long now = thread == 0 ? cpuNanos : THREADS.getThreadCpuTime(thread);
        return now < 0 ? cpuNanos : now;
    }

    /** From its start to its end, or until now; 0 before the start. */
    public long elapsedNanos() {
        if (startedNanos == 0) {
            return 0;
        }
        return (endedNanos == 0 ? System.nanoTime() : endedNanos) - startedNanos;
    }

    /** A snapshot. */
    public SubtaskMetrics now() {
        return new SubtaskMetrics(
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
            // The gates are released with the job; their measurements are kept.
            long waited = waitedForInputNanos();
            gates = List.of();
            waitedForInputNanos = waited;
        }
    }

    /** Sets the inputs whose waiting times are measured. */
    public void waitsAt(List<TaskInput> inputs) {
        gates = on ? inputs : List.of();
    }

    /** The meter of the subtask's channel to this receiver. */
    ChannelMeter channel(SubtaskId to) {
        ChannelMeter meter = new ChannelMeter(to);
        channels.add(meter);
        return meter;
    }

    // Single writer: adding to a volatile loses no update.
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

    /** Bytes read so far of its source's splits. */
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

    /** Bytes were sent to another process or written to a file. */
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
