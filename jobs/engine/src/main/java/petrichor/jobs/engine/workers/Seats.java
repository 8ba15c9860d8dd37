package petrichor.jobs.engine.workers;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which worker each subtask runs in: subtask i of a task sits at place i modulo the length of the
 * task's row. Tasks with the same row keep together what is forwarded from subtask to subtask.
 *
 * @param workers how many there are
 * @param rows by task; a task without a row of its own may use all workers
 */
@SuppressWarnings("serial") // a TreeMap
public record Seats(int workers, Map<Integer, Row> rows) implements Serializable {
    /** Some workers that stand beside each other. */
    public record Row(int first, int count) implements Serializable {
        public Row {
            if (first < 0 || count < 1) {
                throw new IllegalArgumentException(
                        "invalid slot assignment: " + first + ", " + count);
            }
        }
    }

    public Seats {
        rows = new TreeMap<>(rows);
        for (Row row : rows.values()) {
            if (row.first() + row.count() > workers) {
                throw new IllegalArgumentException(row + " does not fit into " + workers);
            }
        }
    }

    /** All tasks on all workers. */
    public static Seats even(int workers) {
        return new Seats(workers, Map.of());
    }

    /** By number, from 0. */
    public int worker(int vertex, int subtask) {
        Row row = rows.get(vertex);
        return row == null ? subtask % workers : row.first() + subtask % row.count();
    }
}
