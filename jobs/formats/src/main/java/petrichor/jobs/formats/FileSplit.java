package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Source;

/**
 * A part of a file: the records that start in [from, to). A compressed file is one split; its
 * bounds are compressed positions.
 *
 * @param size of the whole file
 */
record FileSplit(String file, long from, long to, long size, Compression compression)
        implements Source.Split {
    /** Smaller parts cost more than they balance. */
    static final long BYTES_MIN = 1 << 20;

    FileSplit {
        if (from < 0 || to < from || size < to) {
            throw PetrichorException.invalid(
                    "bytes {from} to {to} are outside of {file}, which has {size}",
                    "from",
                    from,
                    "to",
                    to,
                    "file",
                    file,
                    "size",
                    size);
        }
    }

    /** A whole file. */
    static FileSplit whole(Path file) throws IOException {
        long size = Files.size(file);
        return new FileSplit(file.toString(), 0, size, size, Compression.of(file));
    }

    /** The same file from another position on. */
    FileSplit part(long newFrom, long newTo) {
        return new FileSplit(file, newFrom, newTo, size, compression);
    }

    boolean isCompressed() {
        return compression != Compression.NONE;
    }

    /**
     * Divides files into about this many parts.
     *
     * @param unit parts start at multiples of it
     */
    static List<FileSplit> cut(List<FileSplit> files, int wanted, long unit) {
        long total = files.stream().mapToLong(FileSplit::size).sum();
        long part = Math.max(total / Math.max(1, wanted) + 1, BYTES_MIN);
        part = (part + unit - 1) / unit * unit;
        List<FileSplit> splits = new ArrayList<>();
        for (FileSplit file : files) {
            long step = file.isCompressed() ? file.size : part;
            for (long from = 0; from < file.size; from += step) {
                splits.add(file.part(from, Math.min(file.size, from + step)));
            }
        }
        return splits;
    }

    /** All files of a source of text. */
    static List<FileSplit> files(String path) throws IOException {
        List<FileSplit> files = new ArrayList<>();
        for (Path file : InputFiles.of(path)) {
            files.add(whole(file));
        }
        return files;
    }

    @Override
    public long bytes() {
        return to - from;
    }

    @Override
    public String toString() {
        return isCompressed()
                ? file + " (" + compression.title() + ")"
                : file + " [" + from + ", " + to + ")";
    }
}
