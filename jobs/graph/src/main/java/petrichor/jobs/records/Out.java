package petrichor.jobs.records;

/**
 * The output of user code. {@code out.record().int64(0, 1).emit()} writes a new record, {@code
 * out.emit(record)} passes on one of the output's type unchanged. Valid during the call.
 */
public interface Out {
    /** A builder of the output's type with no field set; discards the previous one. */
    RecordBuilder record();

    /** Passes on a record unchanged; it must be of the output's type. */
    void emit(RecordView record);
}
