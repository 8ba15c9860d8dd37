package petrichor.jobs.flink;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.SubtaskHost;

/**
 * The way to one receiver: a subpartition of a result of Flink's. Its buffers hold what was written
 * back to back, whatever the sizes of blocks and buffers are. Belongs to the task's thread.
 */
final class PartitionOutlet implements SubtaskHost.Outlet {
    private final ResultPartitionWriter partition;
    private final int subpartition;
    private volatile boolean enough;

    PartitionOutlet(ResultPartitionWriter partition, int subpartition) {
        this.partition = partition;
        this.subpartition = subpartition;
    }

    @Override
    public long write(ByteBuffer bytes) {
        long from = partition.isAvailable() ? 0 : System.nanoTime();
        try {
            partition.emitRecord(bytes, subpartition);
        } catch (IOException e) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE, "Flink takes no more of a result: " + e);
        }
        return from == 0 ? 0 : System.nanoTime() - from;
    }

    @Override
    public void flush() {
        partition.flush(subpartition);
    }

    @Override
    public boolean hasEnough() {
        return enough;
    }

    /** The receiver wants no more. Called by another thread. */
    void enough() {
        enough = true;
    }
}
