package petrichor.jobs.parquet;

import java.io.IOException;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.io.LocalOutputFile;
import petrichor.base.PetrichorException;
import petrichor.jobs.formats.Target;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * A folder of Parquet files, one per subtask: {@code part-00000.parquet} and so on, compressed by
 * zstd, every column optional. It becomes visible when the job has succeeded: {@link Target}. A row
 * group is buffered in memory until it is written.
 */
public record ParquetSink(Target target) implements Sink {
    private static final long ROW_GROUP_BYTES = 32L << 20;
    private static final String SUFFIX = ".parquet";

    public ParquetSink {
        if (!target.folder()) {
            throw PetrichorException.invalid(
                    "{path} is one file; Parquet is written as a folder (Target.folder)",
                    "path",
                    target.path());
        }
    }

    /** A folder that must not exist yet. */
    public ParquetSink(String folder) {
        this(Target.folder(folder));
    }

    @Override
    public String name() {
        return target.path();
    }

    @Override
    public void check(RecordType type) {}

    @Override
    public void begin(RecordType type, int subtasks) throws IOException {
        target.begin();
    }

    @Override
    public Writer open(RecordType type, int subtask) throws IOException {
        var out =
                new RecordWriter(new LocalOutputFile(target.part(subtask, SUFFIX)), type)
                        .withConf(new PlainParquetConfiguration())
                        .withCodecFactory(new Codecs())
                        .withCompressionCodec(Codecs.WRITTEN)
                        .withRowGroupSize(ROW_GROUP_BYTES)
                        // A repeated subtask rewrites its file.
                        .withWriteMode(ParquetFileWriter.Mode.OVERWRITE)
                        .build();
        return new PartWriter(out);
    }

    @Override
    public void commit(int subtasks) throws IOException {
        target.commit(subtasks, SUFFIX);
    }

    @Override
    public void abort(int subtasks) throws IOException {
        target.abort();
    }

    private static final class PartWriter implements Writer {
        private final ParquetWriter<RecordView> out;
        private boolean closed;

        PartWriter(ParquetWriter<RecordView> out) {
            this.out = out;
        }

        @Override
        public void write(RecordView record) throws IOException {
            out.write(record);
        }

        /** Only closing writes the footer, without which the file is invalid. */
        @Override
        public void finish() throws IOException {
            close();
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                out.close();
            }
        }
    }
}
