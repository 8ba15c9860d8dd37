package petrichor.jobs.engine.operators;

/** Runs one operation of one subtask: reads its inputs and gives what comes out to a stage. */
interface Driver {
    /** Until the inputs end or nothing more is wanted; does not finish the stage. */
    void run(Stage out);

    /** How far it is, for a failure's text: "at record 17", or empty. */
    String position();
}
