package petrichor.jobs.channels.compression;

import java.util.Set;

/**
 * Chooses the compression level of each block of one channel, and learns from the results of
 * earlier ones. It is passive: the channel's writer calls, in this order, {@link #wantedTrials},
 * {@link #swept} if there are any, {@link #next}, {@link #sent}; reports of the reader come in
 * between. All times are nanoseconds of the writer's monotonic clock unless a name says otherwise.
 * For one thread at a time.
 */
public interface LevelModel {
    /** The level for the next block. */
    Level next();

    /** Reports that a block was sent. */
    void sent(SentBlock block);

    /** The levels at which the next block should be tried first; usually none. */
    default Set<Level> wantedTrials(long nowNanos) {
        return Set.of();
    }

    /** Reports the results of the requested trials. */
    default void swept(Sweep sweep, long nowNanos) {}

    /** Reports how the reader drains the channel. */
    default void drained(DrainReport report) {}
}
