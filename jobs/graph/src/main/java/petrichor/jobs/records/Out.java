package petrichor.jobs.records;

/**
 * Where user code puts its results. {@code out.record().int64(0, 1).emit()} writes a new record,
 * {@code out.emit(record)} hands on one of the output's type unchanged. Valid during the call.
 */
public interface Out {
    /** A builder of the output's type with no field set; the one before is forgotten. */
    RecordBuilder record();

    /** Hands on a record as it is; it must be of the output's type. */
    void emit(RecordView record);
}
