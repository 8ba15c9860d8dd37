package petrichor.analytics.worker;

import java.sql.SQLException;

/** The segments of a database have reached the limit of the disk. */
final class SegmentsFull extends SQLException {
    private static final long serialVersionUID = 1L;

    SegmentsFull() {
        super(
                "the segments of the analytics engine have reached sql.analytics-disk; raise it, or"
                        + " read less");
    }
}
