package petrichor.jobs.records;

import java.io.Serializable;

/**
 * What users of jobs write: ordinary lambdas, serializable so that they can go to another process.
 * Each subtask works on a copy of its own, one record at a time; whatever a call throws fails the
 * job with the task and the record's position. The same input may be presented again after a
 * failure, so user code must not count on being called once.
 */
public sealed interface UserCode extends Serializable
        permits MapCode, ReduceCode, JoinCode, CoGroupCode {}
