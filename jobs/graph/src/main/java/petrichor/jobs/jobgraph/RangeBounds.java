package petrichor.jobs.jobgraph;

import java.io.Serializable;
import java.util.List;
import petrichor.base.PetrichorException;

/** How the splitters of a range partitioning are determined. */
public sealed interface RangeBounds extends Serializable {
    /** Enough for ranges that differ by a few percent at the parallelism of one machine. */
    int SAMPLES_PER_SUBTASK = 4_096;

    /** The engine samples the producers' output and divides it evenly. */
    record Sampled(int recordsPerSubtask) implements RangeBounds {
        public Sampled {
            if (recordsPerSubtask < 1) {
                throw PetrichorException.invalid("a sample needs at least one record per subtask");
            }
        }
    }

    /**
     * Given by the author of the job, who knows the data. Each splitter is a record (binary form)
     * of the edge's type, in ascending order of the key; subtask i gets the records less than
     * splitter i and not less than splitter i-1. There is one splitter fewer than there are
     * subtasks.
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
