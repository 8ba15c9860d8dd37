package petrichor.jobs.parquet;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.io.LocalOutputFile;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.Record;
import petrichor.jobs.records.RecordType;

/**
 * A folder of Parquet files, one per subtask: {@code part-00000.parquet} and so on, compressed by
 * zstd, every column optional. The folder must not exist; it is there when the job has succeeded,
 * and has another name until then. A row group is in memory until it is written.
 */
public record ParquetSink(String folder) implements Sink {
    private static final long ROW_GROUP_BYTES = 32L << 20;

    @Override
    public String name() {
        return folder;
    }

    @Override
    public void check(RecordType type) {}

    @Override
    public void begin(RecordType type, int subtasks) throws IOException {
        if (Files.exists(place())) {
            throw new FileAlreadyExistsException(folder);
        }
        Files.createDirectories(staging());
    }

    @Override
    public Writer open(RecordType type, int subtask) throws IOException {
        var out =
                new RecordWriter(new LocalOutputFile(part(subtask)), type)
                        .withConf(new PlainParquetConfiguration())
                        .withCodecFactory(new Codecs())
                        .withCompressionCodec(Codecs.WRITTEN)
                        .withRowGroupSize(ROW_GROUP_BYTES)
                        // A subtask that is repeated writes its file anew.
                        .withWriteMode(ParquetFileWriter.Mode.OVERWRITE)
                        .build();
        return new PartWriter(out);
    }

    @Override
    public void commit(int subtasks) throws IOException {
        Files.move(staging(), place(), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void abort(int subtasks) throws IOException {
        for (int subtask = 0; subtask < subtasks; subtask++) {
            Files.deleteIfExists(part(subtask));
        }
        Files.deleteIfExists(staging());
    }

    private Path place() {
        return Path.of(folder).toAbsolutePath();
    }

    private Path staging() {
        return place().resolveSibling("." + place().getFileName() + ".writing");
    }

    private Path part(int subtask) {
        return staging().resolve("part-%05d.parquet".formatted(subtask));
    }

    private static final class PartWriter implements Writer {
        private final ParquetWriter<Record> out;
        private boolean closed;

        PartWriter(ParquetWriter<Record> out) {
            this.out = out;
        }

        @Override
        public void write(Record record) throws IOException {
            out.write(record);
        }

        /** Only closing writes the footer, without which the file is none. */
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
