package petrichor.jobs.channels;

/**
 * The sending end of a channel. A stream ends with {@link #end} or {@link #fail}; {@link #close}
 * without either fails it. For one thread, except for {@link #close}, which another thread may call
 * to break up a wait: the waiting call then fails.
 *
 * <p>Failures are {@link petrichor.base.PetrichorException}: UNAVAILABLE where the other process
 * cannot be reached or died, RESOURCE_EXHAUSTED where a disk or a limit is full.
 */
public interface BlockWriter extends AutoCloseable {
    /**
     * Sends a block, which has at least one byte; waits while the channel is full, which {@link
     * #counters} count. The block belongs to the channel from here on. Drops it if the receiver
     * {@linkplain #hasEnough wants no more}.
     */
    void write(Block block);

    /** How large the next block should be, unless a single record is larger. */
    default int blockBytes() {
        return Block.FRAME_BYTES_MAX;
    }

    /** Whether the receiver wants no more. */
    boolean hasEnough();

    /** No more blocks: the receiver gets those that were written, and then the end. */
    void end();

    /**
     * The stream is broken; the receiver fails with this text.
     *
     * @param reason what happened, for a person
     */
    void fail(String reason);

    /** Whether blocks change their owner within the process, instead of being sent or stored. */
    default boolean isLocal() {
        return false;
    }

    /** What went through so far. */
    ChannelCounters counters();

    @Override
    void close();
}
