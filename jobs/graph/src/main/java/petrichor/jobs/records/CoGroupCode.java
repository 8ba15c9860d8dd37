package petrichor.jobs.records;

/** Processes all records of a key from both inputs; one of the two groups may be empty. */
@FunctionalInterface
public non-sealed interface CoGroupCode extends UserCode {
    void coGroup(Group left, Group right, Out out) throws Exception;
}
