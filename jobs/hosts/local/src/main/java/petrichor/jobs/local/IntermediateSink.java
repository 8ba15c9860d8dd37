package petrichor.jobs.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * Writes records in their binary form, a file per subtask. They are read in the same process soon
 * after, so nothing is synced.
 */
record IntermediateSink(String folder, String name) implements Sink {
    private static final int BUFFER_BYTES = 256 << 10;

    @Override
    public void check(RecordType type) {}

    @Override
    public void begin(RecordType type, int subtasks) throws IOException {
        IntermediateRecords.delete(Path.of(folder));
        Files.createDirectories(Path.of(folder));
    }

    @Override
    public Writer open(RecordType type, int subtask) throws IOException {
        return new KeptWriter(
                FileChannel.open(
                        Path.of(folder, "part-" + subtask),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE));
    }

    @Override
    public void commit(int subtasks) {}

    @Override
    public void abort(int subtasks) throws IOException {
        IntermediateRecords.delete(Path.of(folder));
    }

    private static final class KeptWriter implements Writer {
        private final FileChannel file;
        private byte[] buffer = new byte[BUFFER_BYTES];
        private int filled;

        KeptWriter(FileChannel file) {
            this.file = file;
        }

        @Override
        public void write(RecordView record) throws IOException {
            int bytes = record.bytes();
            if (filled + bytes > buffer.length) {
                flush();
                if (bytes > buffer.length) {
                    buffer = new byte[bytes];
                }
            }
            record.copyTo(buffer, filled);
            filled += bytes;
        }

        private void flush() throws IOException {
            var bytes = ByteBuffer.wrap(buffer, 0, filled);
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            filled = 0;
        }

        @Override
        public void finish() throws IOException {
            flush();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
