package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.RecordView;

/**
 * A sequence of records, as views that are valid until the next call. Closing frees memory and
 * files, whether or not the stream was read to its end. Belongs to one thread.
 */
public interface RecordStream extends AutoCloseable {
    /** The next record, or null at the end. */
    @Nullable RecordView next();

    @Override
    default void close() {}
}
