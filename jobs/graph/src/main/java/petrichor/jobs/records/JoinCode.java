package petrichor.jobs.records;

/** Processes a pair of records: with equal keys in a Match, any two in a Cross. */
@FunctionalInterface
public non-sealed interface JoinCode extends UserCode {
    void join(RecordView left, RecordView right, Out out) throws Exception;
}
