package petrichor.transactions.rows;

import java.util.Comparator;

/** A slot of a database's log. Each owner of the database fills an epoch, from slot 0 on. */
public record LogPosition(long epoch, long slot) implements Comparable<LogPosition> {
    /** Where the log of every database begins. */
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
