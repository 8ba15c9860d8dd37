package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Joins several files into one. Stateless. */
final class PartFiles {
    /** Additional disk space needed besides the parts. */
    static final int CHUNK_BYTES = 8 << 20;

    private PartFiles() {}

    /**
     * Appends all files to the first one, and removes them. Each is copied from its end and
     * truncated meanwhile, to the offset that follows from the lengths of the files before it, so
     * that the disk never holds a part twice.
     */
    static void join(List<Path> parts) throws IOException {
        try (FileChannel whole = FileChannel.open(parts.getFirst(), StandardOpenOption.WRITE)) {
            long end = whole.size();
            for (Path part : parts.subList(1, parts.size())) {
                end += move(part, whole, end);
                Files.delete(part);
            }
        }
    }

    private static long move(Path part, FileChannel whole, long offset) throws IOException {
        try (FileChannel from =
                FileChannel.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long size = from.size();
            for (long to = size; to > 0; ) {
                long start = Math.max(0, to - CHUNK_BYTES);
                whole.position(offset + start);
                for (long at = start; at < to; ) {
                    at += from.transferTo(at, to - at, whole);
                }
                from.truncate(start);
                to = start;
            }
            return size;
        }
    }

    /** Renames a file to an unused name. */
    static void moveNew(Path file, Path name) throws IOException {
        try {
            Files.createLink(name, file);
            Files.delete(file);
        } catch (UnsupportedOperationException noLinks) {
            Files.move(file, name);
        }
    }
}
