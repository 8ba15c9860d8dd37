package petrichor.jobs.jobgraph;

import java.io.IOException;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * Where records go. Nothing of it is to be seen before {@link #commit}: the engine calls {@link
 * #begin} once, then each subtask writes through a writer of its own (again, with the same number,
 * if it failed and is repeated), then exactly one of {@link #commit} and {@link #abort} once.
 */
public interface Sink extends Serializable {

    /** What people and failures call it, e.g. a path. */
    String name();

    /** Refuses records that it cannot hold, by a {@link petrichor.base.PetrichorException}. */
    void check(RecordType type);

    /**
     * The bytes that a writer will write for a record, if that is known before it is written and
     * all writers write to one file. Then the engine may add them up while records are on their way
     * to a sort, and tell each writer its place in the file ({@link Writer#place}). Null otherwise.
     *
     * @return for one thread; a function of the record alone
     */
    default @Nullable RecordSize recordSize(RecordType type) {
        return null;
    }

    /** The bytes that a writer will write for a record. */
    @FunctionalInterface
    interface RecordSize {
        long bytes(RecordView record);
    }

    /** Prepares the place; refuses, e.g., a target that exists. */
    void begin(RecordType type, int subtasks) throws IOException;

    /** A writer for what one subtask produces; replaces what an earlier attempt of it wrote. */
    Writer open(RecordType type, int subtask) throws IOException;

    /** All subtasks have finished: the result appears. */
    void commit(int subtasks) throws IOException;

    /**
     * What the code of the job has counted, where it hands that on to its sink; to be asked after
     * {@link #commit}, of the sink that was told to.
     */
    default JobCounters counted() {
        return JobCounters.NONE;
    }

    /** The job failed or was canceled: nothing remains. */
    void abort(int subtasks) throws IOException;

    /** Takes the records of one subtask; belongs to one thread. */
    interface Writer extends AutoCloseable {
        /**
         * The place of what follows in the whole file. Called at most once, before the first
         * record, for all writers of a sink or for none.
         *
         * @param offset the bytes of the subtasks before this one
         * @param bytes exactly what this writer will write
         * @param totalBytes what all writers will write
         */
        default void place(long offset, long bytes, long totalBytes) throws IOException {}

        /** The record is a view that is valid during the call. */
        void write(RecordView record) throws IOException;

        /** Everything was written: makes it durable, not yet visible. */
        void finish() throws IOException;

        /** Releases what is open; without {@link #finish} before, what was written is void. */
        @Override
        void close() throws IOException;
    }
}
