package petrichor.jobs.engine.exchange;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.ChannelCounters;
import petrichor.jobs.engine.memory.Block;

/** The sender's side of an input of a subtask, in this process or in another one. */
public interface Receiver {
    /**
     * Hands on a block, waiting while too many are on their way.
     *
     * @return how long it waited in nanoseconds
     */
    long put(int sender, Block block);

    /** This sender sends no more. */
    void end(int sender);

    /** How large the next block is to be, unless a single record is larger. */
    default int blockBytes() {
        return Block.BYTES;
    }

    /** What has gone to another process or into a file; null where blocks stay here. */
    default ChannelCounters.@Nullable Figures shipped() {
        return null;
    }

    /** Whether nothing more is wanted. */
    boolean hasEnough();
}
