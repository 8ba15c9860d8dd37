package petrichor.jobs.engine.workers;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * The folder for temporary files of a child process. Such a process may end without removing its
 * files (libraries unpack native code), so the parent removes the folder after the process has
 * ended, and the process itself if its parent has died. Safe for all threads.
 */
public record TemporaryFolder(Path path) implements AutoCloseable {
    private static final String PREFIX = "petrichor-process-";
    private static final String PROPERTY = "java.io.tmpdir";

    /** Creates one, below this process's own. */
    public static TemporaryFolder create() throws IOException {
        return new TemporaryFolder(Files.createTempDirectory(PREFIX));
    }

    /** For the command line of the process. */
    public String jvmArgument() {
        return "-D" + PROPERTY + "=" + path;
    }

    /** Removes the folder of this process, if it was started with one. */
    public static void removeOwn() {
        Path own = Path.of(System.getProperty(PROPERTY));
        Path name = own.getFileName();
        if (name != null && name.toString().startsWith(PREFIX)) {
            new TemporaryFolder(own).close();
        }
    }

    /** Removes it with all of its content, without following links; files in use stay. */
    @Override
    public void close() {
        try {
            Files.walkFileTree(
                    path,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                                throws IOException {
                            Files.deleteIfExists(file);
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFileFailed(Path file, IOException gone) {
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult postVisitDirectory(
                                Path folder, @Nullable IOException failed) throws IOException {
                            Files.deleteIfExists(folder);
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            System.getLogger(TemporaryFolder.class.getName())
                    .log(System.Logger.Level.DEBUG, "cannot remove {0}: {1}", path, e);
        }
    }
}
