package petrichor.jobs.records;

/**
 * Processes all records of a key together, and emits any number of records for them. Also a
 * combiner.
 */
@FunctionalInterface
public non-sealed interface ReduceCode extends UserCode {
    void reduce(Group group, Out out) throws Exception;
}
