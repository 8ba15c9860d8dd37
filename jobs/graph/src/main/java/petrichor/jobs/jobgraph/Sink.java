package petrichor.jobs.jobgraph;

import java.io.IOException;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * Receives the output of a job. Nothing is visible before {@link #commit}: the engine calls {@link
 * #begin} once, then each subtask writes through a writer of its own (again, with the same number,
 * if it failed and is repeated), then exactly one of {@link #commit} and {@link #abort} once.
 */
public interface Sink extends Serializable {

    /** Name for people and failures, e.g. a path. */
    String name();

    /**
     * Refuses record types that it cannot store, by a {@link petrichor.base.PetrichorException}.
     */
    void check(RecordType type);

    /**
     * Predicts the bytes that a writer will write for a record, if that is possible and all writers
     * write to one file. Then the engine may add them up while records are being sent to a sort,
     * and give each writer its offset in the file ({@link Writer#place}). Null otherwise.
     *
     * @return for one thread; a function of the record alone
     */
    default @Nullable RecordSize recordSize(RecordType type) {
        return null;
    }

    /** Predicts the bytes that a writer will write for a record. */
    @FunctionalInterface
    interface RecordSize {
        long bytes(RecordView record);
    }

    /** Prepares the target; refuses, e.g., one that exists. */
    void begin(RecordType type, int subtasks) throws IOException;

    /** Opens a writer for one subtask; replaces the output of an earlier attempt. */
    Writer open(RecordType type, int subtask) throws IOException;

    /** All subtasks have finished: makes the result visible. */
    void commit(int subtasks) throws IOException;

    /**
     * Counters of the job's user code, where it passes them to its sink; to be called after {@link
     * #commit}, on the committed instance.
     */
    default JobCounters counted() {
        return JobCounters.NONE;
    }

    /** The job failed or was canceled: removes everything. */
    void abort(int subtasks) throws IOException;

    /** Writes the records of one subtask; belongs to one thread. */
    interface Writer extends AutoCloseable {
        /**
         * The offset of the following records in the whole file. Called at most once, before the
         * first record, for all writers of a sink or for none.
         *
         * @param offset total size of the output of the subtasks before this one
         * @param bytes exact size of this writer's output
         * @param totalBytes size of the output of all writers
         */
        default void place(long offset, long bytes, long totalBytes) throws IOException {}

        /** The record is a view that is valid during the call. */
        void write(RecordView record) throws IOException;

        /** Everything was written: makes it durable, but not yet visible. */
        void finish() throws IOException;

        /** Releases resources; without a previous {@link #finish}, discards the output. */
        @Override
        void close() throws IOException;
    }
}
