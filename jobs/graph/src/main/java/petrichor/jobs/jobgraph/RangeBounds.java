package petrichor.jobs.jobgraph;

import java.io.Serializable;
import java.util.List;
import petrichor.base.PetrichorException;

/** Where the ranges of a range partition are cut. */
public sealed interface RangeBounds extends Serializable {
    /** Enough for ranges that differ by a few percent at the parallelism of one machine. */
    int SAMPLES_PER_SUBTASK = 4_096;

    /** The engine takes a sample of what the producers emit and cuts it evenly. */
    record Sampled(int recordsPerSubtask) implements RangeBounds {
        public Sampled {
            if (recordsPerSubtask < 1) {
                throw PetrichorException.invalid("a sample needs at least one record per subtask");
            }
        }
    }

    /**
     * Given by whoever knows the data. Each cut is a record (binary form) of the edge's type, in
     * ascending order of the key; subtask i takes what is less than cut i and not less than cut
     * i-1. There is one cut fewer than there are subtasks.
     */
    record Given(List<byte[]> cuts) implements RangeBounds {
        public Given {
            cuts = List.copyOf(cuts);
        }
    }

    static RangeBounds sampled() {
        return new Sampled(SAMPLES_PER_SUBTASK);
    }
}
