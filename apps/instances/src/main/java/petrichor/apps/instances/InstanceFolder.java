package petrichor.apps.instances;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import petrichor.base.LinuxProcesses;

/**
 * The folder of one instance in the folder of its host: a note about its processes, for the host
 * after a crash; the temporary folder, where it is not in memory; and what its view of the files is
 * built from, in its own namespace. Stateless.
 */
record InstanceFolder(Path path) {
    private static final String NOTE = "processes";
    private static final String PASSABLE = "rwx--x--x";
    private static final String PRIVATE = "rwx------";

    /**
     * @param pid of the first process
     * @param startTicks of the first process, since a pid is reused
     * @param mark in the environment of the processes; may be empty
     */
    record Note(long pid, long startTicks, String mark) {}

    Path view() {
        return path.resolve("view");
    }

    /** The mounts of the view. */
    Path table() {
        return path.resolve("mounts");
    }

    Path temporary() {
        return path.resolve("tmp");
    }

    void create(OptionalInt owner) throws IOException {
        Files.createDirectories(path);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(PASSABLE));
        Files.createDirectories(view());
        Files.createDirectories(temporary());
        Files.setPosixFilePermissions(temporary(), PosixFilePermissions.fromString(PRIVATE));
        if (owner.isPresent()) {
            Files.setAttribute(temporary(), "unix:gid", owner.getAsInt());
            Files.setAttribute(temporary(), "unix:uid", owner.getAsInt());
        }
    }

    void note(Note note) throws IOException {
        Path draft = path.resolve(NOTE + ".new");
        Files.writeString(
                draft,
                "pid=%d\nstart=%d\nmark=%s\n".formatted(note.pid, note.startTicks, note.mark));
        Files.move(draft, path.resolve(NOTE), StandardCopyOption.ATOMIC_MOVE);
    }

    static Note noteOf(long pid, String mark) {
        return new Note(pid, LinuxProcesses.startTicks(pid), mark);
    }

    /** Empty if the host crashed before it wrote one. */
    Optional<Note> note() {
        try {
            Map<String, String> fields = new TreeMap<>();
            for (String line : Files.readAllLines(path.resolve(NOTE), StandardCharsets.UTF_8)) {
                int equals = line.indexOf('=');
                fields.put(line.substring(0, equals), line.substring(equals + 1));
            }
            return Optional.of(
                    new Note(
                            Long.parseLong(fields.getOrDefault("pid", "")),
                            Long.parseLong(fields.getOrDefault("start", "")),
                            fields.getOrDefault("mark", "")));
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException none) {
            return Optional.empty();
        }
    }

    /** Deletes it with all files, after all processes have ended; links are not followed. */
    void delete() throws IOException {
        if (Files.exists(path)) {
            delete(path);
        }
    }

    /** As deep as a path can be, about 2,000 folders. */
    private static void delete(Path each) throws IOException {
        if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
            // The app may have removed its own permission.
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString(PRIVATE));
            List<Path> children = new ArrayList<>();
            try (var stream = Files.newDirectoryStream(each)) {
                stream.forEach(children::add);
            }
            for (Path child : children) {
                delete(child);
            }
        }
        Files.deleteIfExists(each);
    }
}
