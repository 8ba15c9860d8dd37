package petrichor.jobs.formats;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.Words;

/**
 * Reads records of fixed length without separators, such as TeraSort's.
 *
 * @param path a file, a folder of files, or a pattern such as {@code data/*.dat}; not compressed
 */
public record FixedSource(String path, List<FixedColumn> columns) implements Source {
    public FixedSource {
        columns = List.copyOf(columns);
        if (columns.isEmpty()) {
            throw PetrichorException.invalid("name at least one column of {path}", "path", path);
        }
    }

    int recordBytes() {
        return columns.stream().mapToInt(FixedColumn::bytes).sum();
    }

    @Override
    public String name() {
        return path;
    }

    @Override
    public RecordType type() {
        return RecordType.of(columns.stream().map(FixedColumn::field).toList());
    }

    @Override
    public SourceEstimate estimate() {
        long bytes = inputBytes();
        return bytes == SourceEstimate.NOT_KNOWN
                ? SourceEstimate.UNKNOWN
                : new SourceEstimate(bytes, bytes / recordBytes());
    }

    @Override
    public long inputBytes() {
        return Sample.bytes(path);
    }

    @Override
    public List<Split> splits(int wanted) throws IOException {
        List<FileSplit> files = new ArrayList<>();
        for (Path file : InputFiles.of(path)) {
            // Any bytes may be a record, so only the name shows compression.
            if (file.toString().matches(".*\\.(gz|zst|bz2|xz|lz4)")) {
                throw PetrichorException.invalid(
                        "{file} is compressed: records of fixed length are read uncompressed only",
                        "file",
                        file);
            }
            long size = Files.size(file);
            files.add(new FileSplit(file.toString(), 0, size, size, Compression.NONE));
        }
        return List.copyOf(FileSplit.cut(files, wanted, recordBytes()));
    }

    @Override
    public SplitReader open(Split split) throws IOException {
        return new Reader((FileSplit) split);
    }

    private final class Reader implements SplitReader {
        private static final int RECORDS_PER_READ = 4096;

        private final FileSplit split;
        private final FileWindow window;
        private final int recordBytes = recordBytes();
        private final int[] lengths = columns.stream().mapToInt(FixedColumn::bytes).toArray();
        private final FieldType[] types =
                columns.stream().map(c -> c.field().type()).toArray(FieldType[]::new);

        Reader(FileSplit split) throws IOException {
            this.split = split;
            this.window = new FileWindow(split, split.from());
        }

        @Override
        public boolean read(Out out) throws IOException {
            long left = (split.to() - window.position()) / recordBytes;
            for (int i = 0; i < RECORDS_PER_READ; i++) {
                if (left-- <= 0) {
                    checkEnd();
                    return false;
                }
                while (window.end - window.at < recordBytes) {
                    if (!window.more()) {
                        throw new EOFException("the file was truncated while it was read");
                    }
                }
                record(window.bytes, window.at, out.record());
                window.at += recordBytes;
            }
            return true;
        }

        private void checkEnd() {
            if (window.position() < split.to()) {
                throw PetrichorException.invalid(
                        "{file} does not hold whole records of {recordBytes} bytes: {bytesLeft} are"
                                + " left at its end",
                        "file",
                        split.file(),
                        "recordBytes",
                        recordBytes,
                        "bytesLeft",
                        (split.to() - window.position()));
            }
        }

        private void record(byte[] bytes, int from, RecordBuilder builder) {
            int at = from;
            for (int i = 0; i < lengths.length; i++) {
                switch (types[i]) {
                    case TEXT, BYTES -> builder.bytes(i, bytes, at, lengths[i]);
                    case BOOLEAN -> builder.bool(i, bytes[at] != 0);
                    case INT32 -> builder.int32(i, Words.int32(bytes, at));
                    case INT64 -> builder.int64(i, Words.int64(bytes, at));
                    case FLOAT64 ->
                            builder.float64(i, Double.longBitsToDouble(Words.int64(bytes, at)));
                }
                at += lengths[i];
            }
            builder.emit();
        }

        @Override
        public long bytesRead() {
            return window.fileBytes() - split.from();
        }

        @Override
        public String position() {
            return "byte " + window.position();
        }

        @Override
        public void close() throws IOException {
            window.close();
        }
    }
}
