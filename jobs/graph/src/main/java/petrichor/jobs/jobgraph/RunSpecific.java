package petrichor.jobs.jobgraph;

import java.io.Serializable;

/**
 * An object in user code that differs between runs of the same program, such as a configuration
 * with file names. Only its stable part enters a task's signature.
 */
public interface RunSpecific extends Serializable {
    /** The part that is the same in every run. */
    Serializable lasting();
}
