package petrichor.jobs.flink;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.compression.LevelModel;
import petrichor.jobs.engine.hosted.SubtaskHost;

/**
 * The output to one receiver: a subpartition of a Flink result partition. Its buffers are filled
 * back to back, independently of block sizes. Belongs to the task's thread.
 */
final class PartitionOutput implements SubtaskHost.Output {
    /** Flink's default segment size. */
    private static final int BUFFER_BYTES = 32 << 10;

    private final ResultPartitionWriter partition;
    private final int subpartition;
    private final Supplier<LevelModel> levels;
    private volatile boolean cancelled;
    private volatile StageMessage.@Nullable Reception reception;

    PartitionOutput(
            ResultPartitionWriter partition, int subpartition, Supplier<LevelModel> levels) {
        this.partition = partition;
        this.subpartition = subpartition;
        this.levels = levels;
    }

    @Override
    public long write(ByteBuffer bytes) {
        long waited = 0;
        int end = bytes.limit();
        try {
            while (bytes.position() < end) {
                // One buffer at a time: whether one is available is known only just before it is
                // needed.
                bytes.limit(Math.min(end, bytes.position() + BUFFER_BYTES));
                long from = partition.isAvailable() ? 0 : System.nanoTime();
                partition.emitRecord(bytes, subpartition);
                waited += from == 0 ? 0 : System.nanoTime() - from;
            }
        } catch (IOException e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "Flink accepts no more of a result: {reason}",
                    "reason",
                    e);
        }
        return waited;
    }

    @Override
    public void flush() {
        partition.flush(subpartition);
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    /** The receiver wants no more. Called by another thread. */
    void cancelUpstream() {
        cancelled = true;
    }

    /** True while the machine of the receiver is unknown; until then nothing is compressed. */
    boolean isUnknown() {
        return reception == null;
    }

    /** Updates what is known of the receiver. Called by another thread. */
    void know(StageMessage.Reception now) {
        reception = now;
    }

    @Override
    public boolean away() {
        StageMessage.Reception known = reception;
        return known != null && known.away();
    }

    @Override
    public LevelModel levels() {
        return levels.get();
    }

    @Override
    public double receiverBusy() {
        StageMessage.Reception known = reception;
        return known == null ? 0 : known.busy();
    }
}
