package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;

/**
 * The spilled blocks of a channel of an elastic gate: a queue on disk. Guarded by the gate's lock.
 */
public interface Overflow extends AutoCloseable {
    /** Appends a copy of the block, which the caller still owns. */
    void add(Block block);

    /** Removes the oldest block, or returns null; the caller owns it. */
    @Nullable Block poll();

    boolean isEmpty();

    /** Drops all blocks. */
    @Override
    void close();
}
