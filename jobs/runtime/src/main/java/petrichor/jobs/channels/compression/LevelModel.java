package petrichor.jobs.channels.compression;

import java.util.Set;

/**
 * Says how the next block of one channel is compressed, and learns from what became of earlier
 * ones. It does nothing by itself: the channel's writer asks and tells, in the order {@link
 * #wantedTrials}, {@link #swept} if there are any, {@link #next}, {@link #sent}; reports of the
 * reader come in between. All times are nanoseconds of the writer's forward-moving clock unless a
 * name says otherwise. For one thread at a time.
 */
public interface LevelModel {
    /** The level of the block that is about to go. */
    Level next();

    /** A block has gone. */
    void sent(SentBlock block);

    /** The levels at which the block that is about to go should be tried first; mostly none. */
    default Set<Level> wantedTrials(long nowNanos) {
        return Set.of();
    }

    /** The outcome of the trials that the model wanted. */
    default void swept(Sweep sweep, long nowNanos) {}

    /** The reader told how it fares. */
    default void drained(DrainReport report) {}
}
