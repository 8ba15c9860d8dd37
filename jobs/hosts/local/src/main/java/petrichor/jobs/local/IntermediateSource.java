package petrichor.jobs.local;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Reads the output of a {@link IntermediateSink}; a split is one of its files. */
record IntermediateSource(String folder, String name, RecordType type) implements Source {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int RECORDS_PER_READ = 1_000;

    /** A record starts with its length. */
    private static final int LENGTH_BYTES = 4;

    record KeptFile(String path) implements Split {
        @Override
        public String toString() {
            return path;
        }
    }

    @Override
    public List<Split> splits(int wanted) throws IOException {
        try (var files = Files.list(Path.of(folder))) {
            return files.sorted().<Split>map(file -> new KeptFile(file.toString())).toList();
        }
    }

    @Override
    public SplitReader open(Split split) throws IOException {
        var file = Path.of(((KeptFile) split).path());
        return new KeptReader(
                new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES), type);
    }

    private static final class KeptReader implements SplitReader {
        private final InputStream in;
        private final RecordView view;
        private byte[] record = new byte[BUFFER_BYTES];
        private long position;

        KeptReader(InputStream in, RecordType type) {
            this.in = in;
            this.view = new RecordView(type);
        }

        @Override
        public boolean read(Out out) throws IOException {
            for (int i = 0; i < RECORDS_PER_READ; i++) {
                int got = in.readNBytes(record, 0, LENGTH_BYTES);
                if (got == 0) {
                    return false;
                }
                int bytes = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN).getInt();
                if (bytes > record.length) {
                    record = Arrays.copyOf(record, bytes);
                }
                if (got < LENGTH_BYTES
                        || in.readNBytes(record, LENGTH_BYTES, bytes - LENGTH_BYTES)
                                < bytes - LENGTH_BYTES) {
                    throw new EOFException(
                            "a kept file is truncated within a record at byte " + position);
                }
                position += bytes;
                out.emit(view.at(record, 0));
            }
            return true;
        }

        @Override
        public String position() {
            return "byte " + position;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
