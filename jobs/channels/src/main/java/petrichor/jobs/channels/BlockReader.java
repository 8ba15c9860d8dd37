package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;

/**
 * The end of a channel that gives blocks, in the order in which they were written. {@link #close}
 * before the end means {@link #enough}. For one thread, except for {@link #close}, which another
 * thread may call to break up a wait: the waiting call then fails.
 */
public interface BlockReader extends AutoCloseable {
    /**
     * The next block, or null at the end of the stream; waits for it. The block belongs to the
     * caller.
     *
     * @throws petrichor.base.PetrichorException ABORTED with the writer's reason where the writer
     *     failed, UNAVAILABLE where its process died or fell silent, INTERNAL where what arrived is
     *     not what was sent
     */
    @Nullable Block next();

    /** Wants no more: the writer is told so, and {@link #next} gives the end. */
    void enough();

    /** What came through so far. */
    ChannelCounters counters();

    @Override
    void close();
}
