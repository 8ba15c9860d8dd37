package petrichor.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A folder that is deleted after the measurement. On the disk of the working directory, not in
 * memory.
 */
public final class TemporaryFolder implements AutoCloseable {
    private final Path path;

    public TemporaryFolder() {
        try {
            path = Files.createTempDirectory(Path.of(""), ".bench-").toAbsolutePath();
            // Servers that refuse to run as root run as another user, who must be able to read
            // their data.
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx--x--x"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public Path path() {
        return path;
    }

    public Path path(String name) {
        return path.resolve(name);
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
