package petrichor.jobs.records;

import java.io.Serializable;

/**
 * User-defined functions: ordinary lambdas, serializable so that they can be sent to another
 * process. Each subtask works on its own copy, one record at a time; an exception fails the job
 * with the task and the record's position. The same input may be processed again after a failure,
 * so user code must not rely on being called once.
 */
public sealed interface UserCode extends Serializable
        permits MapCode, ReduceCode, JoinCode, CoGroupCode {
    /**
     * End of the calls. Code that buffers records, to process many at once, emits its remaining
     * results; the results of a call may be emitted during any later one, in the order of the
     * calls.
     */
    default void finish(Out out) throws Exception {}

    /**
     * Releases the resources of the code, after {@link #finish} or instead of it; must not fail,
     * and is called once for each copy.
     */
    default void close() {}
}
