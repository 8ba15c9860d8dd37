package petrichor.jobs.records;

/** Processes each record by itself and emits any number of records for it. */
@FunctionalInterface
public non-sealed interface MapCode extends UserCode {
    void map(RecordView in, Out out) throws Exception;
}
