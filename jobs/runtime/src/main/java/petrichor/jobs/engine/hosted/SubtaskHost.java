package petrichor.jobs.engine.hosted;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.compression.LevelModel;
import petrichor.jobs.channels.compression.PipelineModel;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/** What the runtime that carries a subtask does for it. Called on the thread of the subtask. */
public interface SubtaskHost {
    /** The way to a receiver of an edge that the runtime carries; asked once for each. */
    Output output(int edge, int receiver);

    /**
     * What this subtask has seen of the records of an edge. When all senders have given theirs,
     * {@link HostedSubtask#settle} wants to know where the ranges are cut.
     */
    void sample(int edge, List<byte[]> records);

    void moved(SubtaskId subtask, TaskState to, @Nullable String why);

    /** A stream of bytes to one subtask, which arrive there in order. */
    interface Output {
        /**
         * Takes all of the bytes, waiting while too many are on their way.
         *
         * @return how long it waited in nanoseconds
         */
        long write(ByteBuffer bytes);

        /** Lets what was written go on its way, even if more would fit into its buffer. */
        void flush();

        /** Whether the receiver has said that it wants no more; asked for each block. */
        boolean hasEnough();

        /**
         * Whether the receiver is known to be on another machine, so that it may pay to compress
         * what goes there; asked for each block.
         */
        default boolean away() {
            return false;
        }

        /** How what goes to another machine is compressed; asked once. */
        default LevelModel levels() {
            return PipelineModel.forFile();
        }

        /** Which part of its time the receiver was busy with what has arrived, 0 to 1. */
        default double receiverBusy() {
            return 0;
        }
    }
}
