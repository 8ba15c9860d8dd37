package petrichor.jobs.jobgraph;

import java.io.Serializable;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Key;

/** How records are distributed to the subtasks of the consumer. */
public sealed interface Shipping extends Serializable {

    /** Subtask i to subtask i: both tasks have the same number of subtasks. */
    record Forward() implements Shipping {}

    /** To any one subtask, evenly; with a single consuming subtask this gathers everything. */
    record Rebalance() implements Shipping {}

    /** To the subtask chosen by the hash of the key: records with equal keys meet. */
    record HashPartition(Key key) implements Shipping {}

    /**
     * To the subtask that owns the key's range: records with equal keys meet, and subtask i's keys
     * precede those of i+1.
     */
    record RangePartition(Key key, RangeBounds bounds) implements Shipping {}

    /** To every subtask. */
    record Broadcast() implements Shipping {}

    /**
     * To one row or one column of the consumer's subtasks, which form a grid: every record of the
     * first input meets every record of the second in exactly one subtask. Subtask {@code r *
     * columns + c} is in row r and column c. A record of the first input goes to a whole row, one
     * of the second to a whole column; the sender chooses rows and columns freely, but evenly.
     */
    record FragmentAndReplicate(int rows, int columns, Side side) implements Shipping {
        public FragmentAndReplicate {
            if (rows < 1 || columns < 1) {
                throw PetrichorException.invalid(
                        "a grid of {rows} x {columns} subtasks is empty",
                        "rows",
                        rows,
                        "columns",
                        columns);
            }
        }

        public int subtasks() {
            return rows * columns;
        }
    }
}
