package petrichor.testing.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The files of the repository, without generated ones. */
final class RepositoryFiles {
    static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private static final Set<String> GENERATED =
            Set.of(
                    "target",
                    "node_modules",
                    ".git",
                    ".cache",
                    ".venv",
                    ".test",
                    "__pycache__",
                    "petrichor-data",
                    "petrichor-stores");

    private static final long TEXT_BYTES_MAX = 1 << 20;

    private RepositoryFiles() {}

    /** All files with one of these endings, sorted; all files if none is named. */
    static List<Path> endingWith(String... endings) {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(
                    ROOT,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult preVisitDirectory(
                                Path folder, BasicFileAttributes attributes) {
                            return GENERATED.contains(folder.getFileName().toString())
                                    ? FileVisitResult.SKIP_SUBTREE
                                    : FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFile(
                                Path file, BasicFileAttributes attributes) {
                            String name = file.getFileName().toString();
                            if (endings.length == 0
                                    || Arrays.stream(endings).anyMatch(name::endsWith)) {
                                found.add(file);
                            }
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        found.sort(null);
        return found;
    }

    /** Files of up to {@link #TEXT_BYTES_MAX} in valid UTF-8 without zero bytes. */
    static List<Path> texts() {
        return endingWith().stream().filter(RepositoryFiles::isText).toList();
    }

    private static boolean isText(Path file) {
        try {
            if (Files.isSymbolicLink(file) || Files.size(file) > TEXT_BYTES_MAX) {
                return false;
            }
            String text = Files.readString(file);
            return text.indexOf('\0') < 0;
        } catch (MalformedInputException binary) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Java sources that are not tests. */
    static List<Path> mainSources() {
        return endingWith(".java").stream()
                .filter(file -> name(file).contains("/src/main/"))
                .toList();
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The path from the root, with slashes. */
    static String name(Path file) {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }
}
