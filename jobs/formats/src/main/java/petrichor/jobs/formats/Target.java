package petrichor.jobs.formats;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The target of a sink's files. Each subtask writes a hidden file next to the target, whose name
 * starts with a dot; when the job has succeeded, these files become the target atomically. A killed
 * job leaves such files; the next one with this target removes them. Two jobs must not write the
 * same target at the same time.
 *
 * <p>One file: the parts in the order of the subtasks, so that the ranges of a global sort make one
 * sorted file. A folder: a file {@code part-00000} and so on per subtask. Nothing is synced; the
 * operating system decides when the bytes reach the disk.
 *
 * <p>A file is replaced atomically, a folder too where the system can exchange two names (Linux);
 * elsewhere the folder is missing for a moment, and a job that is killed then leaves the old folder
 * under its hidden name, from which the next job restores it. Files are added to a folder one after
 * the other, each complete.
 *
 * @param folder whether it is a folder of files
 */
public record Target(String path, boolean folder, IfExists ifExists) implements Serializable {
    public Target {
        if (ifExists == IfExists.APPEND && !folder) {
            throw PetrichorException.invalid(
                    "{path} is one file: only a folder can be appended to (Target.folder)",
                    "path",
                    path);
        }
    }

    public static Target file(String path) {
        return new Target(path, false, IfExists.FAIL);
    }

    public static Target folder(String path) {
        return new Target(path, true, IfExists.FAIL);
    }

    /** Replaces an existing target. */
    public Target overwriting() {
        return new Target(path, folder, IfExists.OVERWRITE);
    }

    /** Adds files to an existing folder. */
    public Target appending() {
        return new Target(path, folder, IfExists.APPEND);
    }

    /**
     * Before anything is written: refuses an existing target where it must not be replaced, and
     * removes files of a killed job.
     */
    public void begin() throws IOException {
        if (FolderExchange.restore(place(), staging())) {
            System.getLogger(Target.class.getName())
                    .log(System.Logger.Level.WARNING, "restored {0} of a killed job", path);
        }
        if (Files.exists(place(), LinkOption.NOFOLLOW_LINKS)) {
            check();
        }
        Path parent = place().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        if (folder) {
            removeFolder(staging());
            Files.createDirectories(staging());
        } else {
            removeParts();
        }
    }

    private void check() throws IOException {
        if (ifExists == IfExists.FAIL) {
            throw refused(
                    ErrorCode.ALREADY_EXISTS,
                    "already exists",
                    "remove it, choose another target, or let the sink replace it (Java: Target."
                            + (folder ? "folder" : "file")
                            + "(…).overwriting(), Python: if_exists=\"overwrite\")");
        }
        if (folder && !Files.isDirectory(place())) {
            throw refused(
                    ErrorCode.FAILED_PRECONDITION,
                    "is not a folder",
                    "remove it or choose another target");
        }
        if (!folder && !Files.isRegularFile(place())) {
            throw refused(
                    ErrorCode.FAILED_PRECONDITION,
                    "is not a file",
                    "remove it or choose another target");
        }
        if (folder && ifExists == IfExists.OVERWRITE) {
            try (Stream<Path> entries = Files.list(place())) {
                if (entries.anyMatch(
                        entry -> Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))) {
                    throw refused(
                            ErrorCode.FAILED_PRECONDITION,
                            "contains folders, which jobs do not write",
                            "remove it yourself or choose another target");
                }
            }
        }
    }

    private PetrichorException refused(ErrorCode code, String why, String remedy) {
        return PetrichorException.of(
                code,
                "{target} {reason}: {remedy}",
                "target",
                path,
                "reason",
                why,
                "remedy",
                remedy);
    }

    /** The file of a subtask. */
    public Path part(int subtask, String suffix) {
        String name = "part-%05d".formatted(subtask) + suffix;
        return folder
                ? staging().resolve(name)
                : place().resolveSibling("." + place().getFileName() + "." + name);
    }

    /** All parts are written: makes them the target. */
    public void commit(int subtasks, String suffix) throws IOException {
        List<Path> parts =
                IntStream.range(0, subtasks).mapToObj(subtask -> part(subtask, suffix)).toList();
        if (!folder) {
            PartFiles.join(parts);
            Files.move(parts.getFirst(), target(), StandardCopyOption.ATOMIC_MOVE);
        } else if (ifExists == IfExists.APPEND && Files.isDirectory(place())) {
            append(parts, suffix);
        } else if (ifExists == IfExists.OVERWRITE && Files.isDirectory(place())) {
            FolderExchange.replace(target(), staging());
            removeFolder(staging());
        } else {
            Files.move(staging(), place(), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /**
     * Adds the parts under unused names. A hard link never replaces a file, so that two jobs cannot
     * use the same number.
     */
    private void append(List<Path> parts, String suffix) throws IOException {
        int number = 0;
        for (Path part : parts) {
            while (true) {
                Path free = place().resolve("part-%05d".formatted(number++) + suffix);
                try {
                    PartFiles.moveNew(part, free);
                    break;
                } catch (FileAlreadyExistsException taken) {
                    // Try the next number.
                }
            }
        }
        removeFolder(staging());
    }

    public void abort() throws IOException {
        if (folder) {
            removeFolder(staging());
        } else {
            removeParts();
        }
    }

    private void removeParts() throws IOException {
        Path parent = place().getParent();
        String prefix = "." + place().getFileName() + ".part-";
        List<Path> left = new ArrayList<>();
        try (Stream<Path> entries = Files.list(parent == null ? Path.of("/") : parent)) {
            entries.filter(entry -> entry.getFileName().toString().startsWith(prefix))
                    .forEach(left::add);
        } catch (NoSuchFileException none) {
            return;
        }
        for (Path part : left) {
            Files.deleteIfExists(part);
        }
    }

    /** Removes it with its files; a folder within it is kept, and so is the folder itself. */
    private static void removeFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> files;
        try (Stream<Path> entries = Files.list(folder)) {
            files = entries.toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
        Files.deleteIfExists(folder);
    }

    private Path place() {
        return Path.of(path).toAbsolutePath();
    }

    /** The replaced path: follows links, so that a link stays a link. */
    private Path target() throws IOException {
        return Files.exists(place()) ? place().toRealPath() : place();
    }

    private Path staging() {
        return place().resolveSibling("." + place().getFileName() + ".writing");
    }
}
