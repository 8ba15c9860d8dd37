package petrichor.jobs.channels;

/**
 * The end of a channel that takes blocks. A stream ends with {@link #end} or {@link #fail}; {@link
 * #close} without either fails it. For one thread, except for {@link #close}, which another thread
 * may call to break up a wait: the waiting call then fails.
 *
 * <p>Failures are {@link petrichor.base.PetrichorException}: UNAVAILABLE where the other process
 * cannot be reached or died, RESOURCE_EXHAUSTED where a disk or a limit is full.
 */
public interface BlockWriter extends AutoCloseable {
    /** What became of a block. */
    enum Outcome {
        /** It is on its way. */
        ACCEPTED,
        /** The reader wants no more; this block was dropped, and so will be all that follow. */
        ENOUGH
    }

    /**
     * Sends a block, which has at least one byte; waits while the channel is full. The block
     * belongs to the channel from here on, whatever the outcome.
     */
    Outcome write(Block block);

    /** No more blocks: the reader gets those that were written, and then the end. */
    void end();

    /**
     * The stream is broken; the reader's next call fails with this text.
     *
     * @param reason what happened, for a person
     */
    void fail(String reason);

    /** What went through so far. */
    ChannelCounters counters();

    @Override
    void close();
}
