package petrichor.jobs.engine.hosted;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.compression.LevelModel;
import petrichor.jobs.channels.compression.PipelineModel;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/** What a runtime provides to a subtask. Called on the thread of the subtask. */
public interface SubtaskHost {
    /** Opens the output to a receiver of an edge; called once for each. */
    Output output(int edge, int receiver);

    /**
     * Sends this subtask's sample of the records of an edge. When all senders have contributed, the
     * runtime calls {@link HostedSubtask#settle} with the splitters.
     */
    void sample(int edge, List<byte[]> records);

    void moved(SubtaskId subtask, TaskState to, @Nullable String why);

    /** A byte stream to one subtask, which receives the bytes in order. */
    interface Output {
        /**
         * Writes all of the bytes; blocks while too many are in flight (back-pressure).
         *
         * @return how long it was blocked, in nanoseconds
         */
        long write(ByteBuffer bytes);

        /** Sends what was written so far, even if the buffer is not full. */
        void flush();

        /** Whether the receiver wants no more (early termination); asked for each block. */
        boolean isCancelled();

        /**
         * Whether the receiver is known to be on another machine, so that compression may pay;
         * asked for each block.
         */
        default boolean away() {
            return false;
        }

        /** Chooses the compression level for data sent to another machine; called once. */
        default LevelModel levels() {
            return PipelineModel.forFile();
        }

        /** Fraction of the time that the receiver was busy with received data, 0 to 1. */
        default double receiverBusy() {
            return 0;
        }
    }
}
