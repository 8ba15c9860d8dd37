package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceFigures;

/** A part of a file: the records that begin in [from, to). */
record FileSplit(String file, long from, long to) implements Source.Split {
    /** Smaller parts cost more than they balance. */
    static final long BYTES_MIN = 1 << 20;

    FileSplit {
        if (from < 0 || to < from) {
            throw PetrichorException.invalid("bytes " + from + " to " + to + " of " + file);
        }
    }

    /** A file, or all files of a folder that do not begin with a dot, by name. */
    static List<Path> files(String path) throws IOException {
        Path place = Path.of(path);
        if (!Files.isDirectory(place)) {
            return List.of(place);
        }
        try (Stream<Path> entries = Files.list(place)) {
            return entries.filter(Files::isRegularFile)
                    .filter(f -> !f.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        }
    }

    /**
     * Cuts files into about so many parts.
     *
     * @param unit parts begin at multiples of it
     */
    static List<Source.Split> cut(String path, int wanted, long unit) throws IOException {
        List<Path> files = files(path);
        long total = 0;
        for (Path file : files) {
            total += Files.size(file);
        }
        long part = Math.max(total / Math.max(1, wanted) + 1, BYTES_MIN);
        part = (part + unit - 1) / unit * unit;
        List<Source.Split> splits = new ArrayList<>();
        for (Path file : files) {
            long size = Files.size(file);
            for (long from = 0; from < size; from += part) {
                splits.add(new FileSplit(file.toString(), from, Math.min(size, from + part)));
            }
        }
        return splits;
    }

    static SourceFigures figures(String path, long recordBytes) {
        try {
            long total = 0;
            for (Path file : files(path)) {
                total += Files.size(file);
            }
            return recordBytes > 0
                    ? new SourceFigures(total, total / recordBytes)
                    : SourceFigures.ofBytes(total);
        } catch (IOException e) {
            // Whoever opens it will say why it cannot be read.
            return SourceFigures.UNKNOWN;
        }
    }

    @Override
    public String toString() {
        return file + " [" + from + ", " + to + ")";
    }
}
