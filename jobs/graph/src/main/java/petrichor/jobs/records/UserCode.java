package petrichor.jobs.records;

import java.io.Serializable;

/**
 * What users of jobs write: ordinary lambdas, serializable so that they can go to another process.
 * Each subtask works on its own copy, one record at a time; any exception of a call fails the job
 * with the task and the record's position. The same input may be presented again after a failure,
 * so user code must not count on being called once.
 */
public sealed interface UserCode extends Serializable
        permits MapCode, ReduceCode, JoinCode, CoGroupCode {
    /**
     * No more calls come. Code that collects what it sees, to work on many records at once, emits
     * what it still owes; what it emits for a call it may emit during any later one, in the order
     * of the calls.
     */
    default void finish(Out out) throws Exception {}

    /**
     * Releases the resources of the code, after {@link #finish} or instead of it; must not fail,
     * and is called once for each copy.
     */
    default void close() {}
}
