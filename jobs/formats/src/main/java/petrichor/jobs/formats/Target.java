package petrichor.jobs.formats;

import java.io.IOException;
import java.io.Serializable;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Where a sink's files go. Each subtask writes a file of its own beside the target, under a name
 * that begins with a dot; when the job has succeeded, they become the target in one step. An
 * existing target is refused.
 *
 * <p>One file: the parts in the order of the subtasks, so that the ranges of a global sort make one
 * sorted file. A folder: a file {@code part-00000} and so on per subtask. The bytes are left to the
 * operating system to bring to the disk.
 */
public record Target(String path, boolean folder) implements Serializable {
    public static Target file(String path) {
        return new Target(path, false);
    }

    public static Target folder(String path) {
        return new Target(path, true);
    }

    void begin() throws IOException {
        if (Files.exists(place())) {
            throw new FileAlreadyExistsException(path);
        }
        Path parent = place().toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        if (folder) {
            Files.createDirectories(staging());
        }
    }

    FileOutput open(int subtask) throws IOException {
        return new FileOutput(part(subtask));
    }

    void commit(int subtasks) throws IOException {
        if (folder) {
            Files.move(staging(), place(), StandardCopyOption.ATOMIC_MOVE);
            return;
        }
        try (FileChannel whole = FileChannel.open(part(0), StandardOpenOption.WRITE)) {
            long end = whole.size();
            for (int i = 1; i < subtasks; i++) {
                end = append(part(i), whole, end);
                Files.delete(part(i));
            }
        }
        Files.move(part(0), place(), StandardCopyOption.ATOMIC_MOVE);
    }

    private static long append(Path part, FileChannel whole, long end) throws IOException {
        try (FileChannel from = FileChannel.open(part, StandardOpenOption.READ)) {
            long size = from.size();
            whole.position(end);
            for (long at = 0; at < size; ) {
                at += from.transferTo(at, size - at, whole);
            }
            return end + size;
        }
    }

    void abort(int subtasks) throws IOException {
        for (int i = 0; i < subtasks; i++) {
            Files.deleteIfExists(part(i));
        }
        if (folder) {
            Files.deleteIfExists(staging());
        }
    }

    private Path place() {
        return Path.of(path);
    }

    private Path staging() {
        return place().resolveSibling("." + place().getFileName() + ".writing");
    }

    private Path part(int subtask) {
        return folder
                ? staging().resolve("part-%05d".formatted(subtask))
                : place().resolveSibling(
                                "." + place().getFileName() + ".part-%05d".formatted(subtask));
    }
}
