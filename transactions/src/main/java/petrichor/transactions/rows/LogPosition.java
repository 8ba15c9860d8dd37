package petrichor.transactions.rows;

import java.util.Comparator;

/**
 * Position of a slot in a database's log. Each owner of the database fills an epoch, starting at
 * slot 0.
 */
public record LogPosition(long epoch, long slot) implements Comparable<LogPosition> {
    /** The start of every log. */
    public static final LogPosition START = new LogPosition(0, 0);

    private static final Comparator<LogPosition> ORDER =
            Comparator.comparingLong(LogPosition::epoch).thenComparingLong(LogPosition::slot);

    public static LogPosition firstOf(long epoch) {
        return new LogPosition(epoch, 0);
    }

    public LogPosition next() {
        return new LogPosition(epoch, slot + 1);
    }

    @Override
    public int compareTo(LogPosition other) {
        return ORDER.compare(this, other);
    }
}
