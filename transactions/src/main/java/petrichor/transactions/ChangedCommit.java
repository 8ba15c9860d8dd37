package petrichor.transactions;

import java.util.List;

/**
 * A committed transaction in the change feed, complete.
 *
 * @param version of the commit, in microseconds since 1970; also the position after it
 * @param rows in the order in which the commit listed them; empty if it changed nothing
 */
public record ChangedCommit(long version, List<RowChange> rows) {
    public ChangedCommit {
        rows = List.copyOf(rows);
    }

    /** Size of all rows, in bytes. */
    public long bytes() {
        return rows.stream().mapToLong(RowChange::bytes).sum();
    }
}
