package petrichor.jobs.jobgraph;

import java.io.Serializable;
import petrichor.jobs.records.Key;

/** How a task prepares the records of one input for its operation. */
public sealed interface InputOrder extends Serializable {

    /**
     * Passes them in order of arrival. Valid for an operation that needs groups or an order only if
     * the records arrive so: from one subtask over {@link Shipping.Forward}.
     */
    record AsTheyCome() implements InputOrder {}

    /** Sorts all of them, with spilling. */
    record Sorted(Key key) implements InputOrder {}

    /** Merges: every channel delivers its records in this order already. */
    record Merged(Key key) implements InputOrder {}

    /**
     * Buffers all of them before the operation starts, so that a slow or circular neighbour cannot
     * block the job.
     */
    record Buffered() implements InputOrder {}

    static InputOrder asTheyCome() {
        return new AsTheyCome();
    }
}
