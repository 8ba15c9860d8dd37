package petrichor.jobs.engine.workers;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * Assigns subtasks to workers: subtask i of a task runs in worker {@code first + i % count} of the
 * task's range. Tasks with the same range keep forward channels local.
 *
 * @param workers number of workers
 * @param ranges by task; a task without a range may use all workers
 */
@SuppressWarnings("serial") // a TreeMap
public record SlotAssignment(int workers, Map<Integer, Range> ranges) implements Serializable {
    /** Consecutive workers. */
    public record Range(int first, int count) implements Serializable {
        public Range {
            if (first < 0 || count < 1) {
                throw new IllegalArgumentException(
                        "invalid slot assignment: " + first + ", " + count);
            }
        }
    }

    public SlotAssignment {
        ranges = new TreeMap<>(ranges);
        for (Range range : ranges.values()) {
            if (range.first() + range.count() > workers) {
                throw new IllegalArgumentException(range + " does not fit into " + workers);
            }
        }
    }

    /** All tasks on all workers. */
    public static SlotAssignment even(int workers) {
        return new SlotAssignment(workers, Map.of());
    }

    /** By number, from 0. */
    public int worker(int vertex, int subtask) {
        Range range = ranges.get(vertex);
        return range == null ? subtask % workers : range.first() + subtask % range.count();
    }
}
