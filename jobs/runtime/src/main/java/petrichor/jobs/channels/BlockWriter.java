package petrichor.jobs.channels;

/**
 * The sending end of a channel. A stream ends with {@link #end} or {@link #fail}; {@link #close}
 * without either fails it. For one thread, except for {@link #close}, which another thread may call
 * to interrupt a blocked call, which then fails.
 *
 * <p>Failures are {@link petrichor.base.PetrichorException}: UNAVAILABLE where the other process is
 * unreachable or died, RESOURCE_EXHAUSTED where a disk or a limit is full.
 */
public interface BlockWriter extends AutoCloseable {
    /**
     * Sends a block of at least one byte. Blocks while the channel is full (back-pressure), which
     * {@link #counters} record. The channel takes ownership of the block, and drops it if the
     * receiver {@linkplain #isCancelled wants no more}.
     */
    void write(Block block);

    /** Recommended size of the next block, unless a single record is larger. */
    default int blockBytes() {
        return Block.FRAME_BYTES_MAX;
    }

    /** Whether the receiver wants no more (early termination). */
    boolean isCancelled();

    /** Ends the stream: the receiver gets all blocks that were written, and then its end. */
    void end();

    /**
     * Fails the stream; the receiver fails with this text.
     *
     * @param reason what happened, for a person
     */
    void fail(String reason);

    /** Whether blocks are handed over within the process instead of being sent or stored. */
    default boolean isLocal() {
        return false;
    }

    /** Statistics of the channel so far. */
    ChannelCounters counters();

    @Override
    void close();
}
