package petrichor.jobs.jobgraph;

/** One of the two inputs of a task. */
public enum Side {
    FIRST,
    SECOND;

    /** The number of this input: 0 or 1. */
    public int input() {
        return this == FIRST ? 0 : 1;
    }

    public Side other() {
        return this == FIRST ? SECOND : FIRST;
    }
}
