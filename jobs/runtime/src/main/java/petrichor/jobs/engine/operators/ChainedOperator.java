package petrichor.jobs.engine.operators;

import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordView;

/**
 * Processes the records that an operation or the previous stage emits: a step of the chain, an
 * output to other tasks, a sink. Called by the thread of the subtask only.
 */
public interface ChainedOperator extends RecordBuilder.RecordConsumer, AutoCloseable {
    /** The record is a view that is valid during the call. */
    @Override
    void accept(RecordView record);

    /**
     * The offset of the following records in the sink's file; called before the first record. See
     * {@link petrichor.jobs.jobgraph.Sink.Writer#place}.
     */
    default void place(long offset, long bytes, long totalBytes) {}

    /**
     * Whether no more records are wanted (early termination). Checked periodically, not for each
     * record.
     */
    boolean isDone();

    /** End of the records: emits what is buffered, and finishes the next stages. */
    void finish();

    /** Frees memory and files, after {@link #finish()} or instead of it. */
    @Override
    void close();
}
