package petrichor.jobs.jobgraph;

import java.io.Serializable;
import petrichor.jobs.records.Key;

/** What a task does with the records of one input before its operation sees them. */
public sealed interface InputOrder extends Serializable {

    /**
     * Takes them as they come. An operation that needs groups or order may stand behind this only
     * if the records arrive so: from one subtask over {@link Shipping.Forward}.
     */
    record AsTheyCome() implements InputOrder {}

    /** Sorts all of them, on disk where memory does not suffice. */
    record Sorted(Key key) implements InputOrder {}

    /** Merges: every channel delivers its records in this order already. */
    record Merged(Key key) implements InputOrder {}

    /**
     * Keeps all of them before the operation begins, so that a slow or circular neighbour cannot
     * block the job.
     */
    record Buffered() implements InputOrder {}

    static InputOrder asTheyCome() {
        return new AsTheyCome();
    }
}
