package petrichor.transactions;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The change feed of a database: every committed transaction, complete, in commit order, and
 * exactly once per position. Aborted and undecided commits never appear.
 *
 * <p>A position is a version: everything up to it has been read. Position 0 is before the first
 * commit. Reading does not change the feed: a reader that stores its position together with the
 * effect of what it read processes each commit once.
 *
 * <p>Positions are kept as long as the history of rows; an older one fails with {@code
 * FAILED_PRECONDITION}, never with missing commits.
 *
 * <p>Thread-safe. Only the owner of the database reads its feed: it knows which commits are
 * decided. Elsewhere every method fails with {@link NotSequencedHere}.
 */
public interface ChangeFeed {
    /** A part of the feed has at most this many commits. */
    int COMMITS_MAX = 10_000;

    /**
     * The commits after a position, as many as fit, at least one if there is any. Reads the store.
     *
     * @param position INVALID_ARGUMENT if it is in the future, FAILED_PRECONDITION if later commits
     *     have been removed
     * @param commitsMax up to {@link #COMMITS_MAX}
     * @param bytesMax ends the part after the commit that reaches this size
     */
    Changes after(long position, int commitsMax, long bytesMax);

    /** The earliest position from which the feed can be read. */
    long oldest();

    /** The position after the newest commit. */
    long newest();

    /**
     * Completes when {@link #newest} may have exceeded the position, and when the database is
     * closed; then read again. No thread waits.
     */
    CompletableFuture<Void> beyond(long position);

    /** The consumers of this database, by name. */
    List<ChangeConsumer> consumers();

    /**
     * Stores the position of a consumer, which is created if it does not exist. Durable when it
     * returns. May go back to any position that is kept.
     *
     * @param position fails as in {@link #after}
     */
    ChangeConsumer moveConsumer(String name, long position);

    /** NOT_FOUND if it does not exist. */
    void deleteConsumer(String name);
}
