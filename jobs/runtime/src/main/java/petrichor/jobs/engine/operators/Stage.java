package petrichor.jobs.engine.operators;

import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordView;

/**
 * What happens to the records that an operation or the stage before emits: a step of the chain, a
 * shipping to other tasks, a sink. Called by the thread of the subtask only.
 */
public interface Stage extends RecordBuilder.Receiver, AutoCloseable {
    /** The record is a view that is valid during the call. */
    @Override
    void accept(RecordView record);

    /**
     * The place in the sink's file of what follows, before the first record; see {@link
     * petrichor.jobs.jobgraph.Sink.Writer#place}.
     */
    default void place(long offset, long bytes, long totalBytes) {}

    /** Whether nothing more is wanted. Asked now and then, not for each record. */
    boolean enough();

    /** No more records come: emits what is kept, and tells those behind. */
    void finish();

    /** Gives back memory and files, after {@link #finish()} or instead of it. */
    @Override
    void close();
}
