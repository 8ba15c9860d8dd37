package petrichor.jobs.jobgraph;

import java.io.Serializable;

/**
 * Something that user code holds and that is another in every run of the same program, such as a
 * configuration with the names of files. A task's signature goes by what lasts of it.
 */
public interface OfOneRun extends Serializable {
    /** What is the same in every run. */
    Serializable lasting();
}
