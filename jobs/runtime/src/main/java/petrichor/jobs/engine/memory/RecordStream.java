package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.RecordView;

/**
 * Records one after the other, as views that are valid until the next call. Closing gives back
 * memory and files; read to its end or not. Belongs to one thread.
 */
public interface RecordStream extends AutoCloseable {
    /** The next record, or null at the end. */
    @Nullable RecordView next();

    @Override
    default void close() {}
}
