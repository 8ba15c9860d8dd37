package petrichor.jobs.formats;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Common part of sinks that write files: a target, and a format. */
interface FileSink extends Sink {
    Target target();

    /** Writes a subtask's records; may keep buffers. */
    Format format(RecordType type);

    /** Serializes records; belongs to one subtask. */
    interface Format {
        /** Called before the first record of a subtask. */
        default void begin(int subtask, FileOutput out) throws IOException {}

        void write(RecordView record, FileOutput out) throws IOException;
    }

    /** The serialized size of a record, where the format can predict it. */
    default @Nullable RecordSize lineSize(RecordType type) {
        return null;
    }

    @Override
    default @Nullable RecordSize recordSize(RecordType type) {
        return target().folder() ? null : lineSize(type);
    }

    @Override
    default String name() {
        return target().path();
    }

    @Override
    default void begin(RecordType type, int subtasks) throws IOException {
        target().begin();
    }

    @Override
    default Writer open(RecordType type, int subtask) throws IOException {
        FileOutput out = new FileOutput(target().part(subtask, ""));
        Format format = format(type);
        format.begin(subtask, out);
        return new Writer() {
            @Override
            public void place(long offset, long bytes, long totalBytes) throws IOException {
                out.place(target().part(0, ""), offset, bytes, totalBytes);
            }

            @Override
            public void write(RecordView record) throws IOException {
                format.write(record, out);
            }

            @Override
            public void finish() throws IOException {
                out.finish();
            }

            @Override
            public void close() throws IOException {
                out.close();
            }
        };
    }

    @Override
    default void commit(int subtasks) throws IOException {
        target().commit(subtasks, "");
    }

    @Override
    default void abort(int subtasks) throws IOException {
        target().abort();
    }
}
