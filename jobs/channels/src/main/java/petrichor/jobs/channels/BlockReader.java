package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;

/**
 * The receiving end of a single channel, which gives blocks in the order in which they were
 * written. {@link #close} before the end means {@link #enough}. For one thread.
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

    /** Wants no more: the writer learns it, and {@link #next} gives the end. */
    void enough();

    @Override
    void close();
}
