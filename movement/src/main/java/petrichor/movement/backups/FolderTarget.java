package petrichor.movement.backups;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/** Backups in a folder. Files and folders are synced before they count as written. */
public record FolderTarget(Path folder) implements BackupTarget {
    private static final String UNFINISHED = ".unfinished";
    private static final int BUFFER_BYTES = 1 << 16;

    @Override
    public List<String> list(String below) {
        Path start = path(below);
        if (!Files.isDirectory(start)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(start)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString())
                    .filter(name -> !name.endsWith(UNFINISHED))
                    .sorted()
                    .toList();
        } catch (IOException failed) {
            throw FileProblem.of("cannot list " + start, failed);
        } catch (UncheckedIOException failed) {
            throw FileProblem.of(
                    "cannot list " + start, java.util.Objects.requireNonNull(failed.getCause()));
        }
    }

    private Path path(String name) {
        Path path = folder.resolve(name).normalize();
        if (!path.startsWith(folder.normalize())) {
            throw PetrichorException.invalid(
                    "The file name \"{name}\" leaves the folder of backups.", "name", name);
        }
        return path;
    }

    @Override
    public InputStream read(String name) {
        try {
            return Files.newInputStream(path(name));
        } catch (IOException failed) {
            throw FileProblem.of("cannot read " + path(name), failed);
        }
    }

    @Override
    public Upload write(String name) {
        Path file = path(name);
        Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
        try {
            Files.createDirectories(parent(file));
            FileChannel channel =
                    FileChannel.open(
                            unfinished,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE);
            return new FileUpload(file, unfinished, channel);
        } catch (IOException failed) {
            throw FileProblem.of("cannot write " + file, failed);
        }
    }

    private static Path parent(Path file) {
        return java.util.Objects.requireNonNull(file.toAbsolutePath().getParent());
    }

    @Override
    public void delete(String name) {
        Path file = path(name);
        try {
            Files.deleteIfExists(file);
            Path above = parent(file);
            if (!above.equals(folder.toAbsolutePath().normalize()) && isEmpty(above)) {
                Files.deleteIfExists(above);
            }
        } catch (IOException failed) {
            throw FileProblem.of("cannot delete " + file, failed);
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        } catch (NoSuchFileException gone) {
            return false;
        }
    }

    @Override
    public String toString() {
        return folder.toString();
    }

    private static final class FileUpload implements Upload {
        private final Path file;
        private final Path unfinished;
        private final FileChannel channel;
        private final OutputStream stream;

        FileUpload(Path file, Path unfinished, FileChannel channel) {
            this.file = file;
            this.unfinished = unfinished;
            this.channel = channel;
            this.stream = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
        }

        @Override
        public OutputStream stream() {
            return stream;
        }

        @Override
        public void complete() {
            try {
                stream.flush();
                channel.force(true);
                channel.close();
                Files.move(
                        unfinished,
                        file,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
                try (FileChannel above = FileChannel.open(parent(file))) {
                    above.force(true);
                }
            } catch (IOException failed) {
                throw FileProblem.of("cannot write " + file, failed);
            }
        }

        @Override
        public void close() {
            try {
                if (channel.isOpen()) {
                    channel.close();
                    Files.deleteIfExists(unfinished);
                }
            } catch (IOException failed) {
                throw FileProblem.of("cannot write " + file, failed);
            }
        }
    }
}
