package petrichor.jobs.records;

/** Sees a pair of records: of equal keys in a Match, any two in a Cross. */
@FunctionalInterface
public non-sealed interface JoinCode extends UserCode {
    void join(RecordView left, RecordView right, Out out) throws Exception;
}
