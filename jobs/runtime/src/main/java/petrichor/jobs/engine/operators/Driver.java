package petrichor.jobs.engine.operators;

/** Runs one operation of one subtask: reads its inputs and passes its output to a stage. */
interface Driver {
    /** Runs until the inputs end or no more output is wanted; does not finish the stage. */
    void run(ChainedOperator out);

    /** Its position for an error message, such as "at record 17", or empty. */
    String position();
}
