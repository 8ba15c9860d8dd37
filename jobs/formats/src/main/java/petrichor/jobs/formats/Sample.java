package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordView;

/**
 * Estimates the number and length of the records of a source from the beginnings of a few files.
 * Counts the records of one source; belongs to one thread.
 */
final class Sample implements Out {
    /** Sampled files: the first, and others evenly distributed among the rest. */
    private static final int FILES_MAX = 3;

    /** Sampled bytes of each of these files. */
    private static final int BYTES_PER_FILE = 64 << 10;

    /**
     * Sampled bytes of a compressed file: more than a block of bzip2, which is decompressed at
     * once.
     */
    private static final int COMPRESSED_RECORD_BYTES = 1 << 20;

    private final RecordBuilder builder;
    private long records;
    private long recordBytes;

    /** Reads a part of a file. */
    interface Splitting {
        Source.Split split(FileSplit part) throws IOException;
    }

    private Sample(Source source) {
        this.builder = new RecordBuilder(source.type(), this::emit);
    }

    @Override
    public RecordBuilder record() {
        return builder.start();
    }

    @Override
    public void emit(RecordView record) {
        records++;
        recordBytes += record.bytes();
    }

    static SourceEstimate estimate(Source source, String path, Splitting splitting) {
        try {
            List<Path> files = InputFiles.of(path);
            long total = bytes(files);
            var sample = new Sample(source);
            long sampled = 0;
            int step = Math.max(1, (files.size() + FILES_MAX - 1) / FILES_MAX);
            for (int i = 0; i < files.size(); i += step) {
                FileSplit file = FileSplit.whole(files.get(i));
                if (file.size() > 0) {
                    sampled +=
                            sample.read(
                                    source, splitting.split(beginning(file)), file.isCompressed());
                }
            }
            if (sample.records == 0 || sampled == 0) {
                return SourceEstimate.ofBytes(total);
            }
            double all = (double) total * sample.records / sampled;
            return new SourceEstimate(
                    Math.round(all * sample.recordBytes / sample.records), Math.round(all));
        } catch (IOException | PetrichorException e) {
            // The job will fail with this, and report the position.
            return SourceEstimate.UNKNOWN;
        }
    }

    private static FileSplit beginning(FileSplit file) {
        return file.isCompressed() || file.to() <= BYTES_PER_FILE
                ? file
                : file.part(0, BYTES_PER_FILE);
    }

    /** Number of the file's bytes that the records used. */
    private long read(Source source, Source.Split split, boolean compressed) throws IOException {
        try (Source.SplitReader reader = source.open(split)) {
            long before = recordBytes;
            long enough = compressed ? COMPRESSED_RECORD_BYTES : 1;
            boolean more = true;
            while (more && recordBytes - before < enough) {
                more = reader.read(this);
            }
            return reader.bytesRead();
        }
    }

    /** Total size of the files of a path; unknown where it cannot be read. */
    static long bytes(String path) {
        try {
            return bytes(InputFiles.of(path));
        } catch (IOException | PetrichorException e) {
            return SourceEstimate.NOT_KNOWN;
        }
    }

    private static long bytes(List<Path> files) throws IOException {
        long total = 0;
        for (Path file : files) {
            total += Files.size(file);
        }
        return total;
    }
}
