package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;

/** What a channel of an elastic gate has on disk: a queue of blocks. Guarded by the gate's lock. */
public interface Overflow extends AutoCloseable {
    /** Adds a block; it stays the caller's. */
    void add(Block block);

    /** The oldest block that has not been taken, or null; the caller owns it. */
    @Nullable Block poll();

    boolean isEmpty();

    /** Drops what it holds. */
    @Override
    void close();
}
