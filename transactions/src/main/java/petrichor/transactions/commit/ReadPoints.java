package petrichor.transactions.commit;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.transactions.log.CommitPoint;
import petrichor.transactions.rows.ReadPoint;
import petrichor.transactions.rows.RowSource;

/**
 * The newest published version, and all older ones with open readers. Thread-safe; only the thread
 * that runs the sequencer publishes.
 */
public final class ReadPoints {
    private final CommitPoint commitPoint;
    private final Set<ReadPoint> open = ConcurrentHashMap.newKeySet();
    private volatile ReadPoint newest;
    private volatile boolean closed;

    ReadPoints(CommitPoint commitPoint, long version) {
        this.commitPoint = commitPoint;
        this.newest = point(version, true);
    }

    /**
     * Makes everything written so far visible. Call after the durable step and before any future
     * completes: the view then contains exactly the commits up to {@code version}.
     */
    void publish(long version) {
        ReadPoint former = newest;
        newest = point(version, true);
        former.leave();
    }

    public long newestVersion() {
        return newest.version();
    }

    /** Already entered; the caller leaves it. */
    public ReadPoint newest() {
        while (true) {
            ReadPoint point = newest;
            if (point.enter()) {
                return point;
            }
            if (closed) {
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE, "This database was closed; retry.");
            }
            // Replaced and left between the two lines above: its successor is already available.
            Thread.onSpinWait();
        }
    }

    /** Reads a past version through history. The caller leaves it. */
    public ReadPoint at(long version) {
        return point(version, false);
    }

    /**
     * No reader needs history that was superseded at or before this version. Ignores the newest
     * read view: the history that it may need has yet to be written.
     */
    public long oldest() {
        ReadPoint current = newest;
        long oldest = Long.MAX_VALUE;
        for (ReadPoint point : open) {
            if (!point.equals(current)) {
                oldest = Math.min(oldest, point.version());
            }
        }
        return oldest;
    }

    private ReadPoint point(long version, boolean newest) {
        ReadPoint[] self = new ReadPoint[1];
        RowSource source = commitPoint.frozen();
        ReadPoint point =
                new ReadPoint(
                        version,
                        source,
                        newest && source.view() != null,
                        () -> open.remove(self[0]));
        self[0] = point;
        open.add(point);
        return point;
    }

    /** Stops publishing; open readers keep their views. */
    void close() {
        closed = true;
        newest.leave();
    }
}
