package petrichor.jobs.formats;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Resolves a source's path to files: one file, all files of a folder, or all that match a pattern.
 * Hidden files (starting with a dot or underscore) belong to other programs and are skipped unless
 * the pattern names them. Stateless.
 *
 * <p>In a pattern {@code *} matches any characters within a name, {@code ?} one, {@code [a-z]} one
 * of them, {@code {a,b}} either, and {@code **} as a whole name for any number of folders,
 * including none. An existing file of exactly this name takes precedence.
 */
public final class InputFiles {
    private static final String ANY_FOLDERS = "**";

    private InputFiles() {}

    /** The files ordered by name; none in an empty folder. */
    public static List<Path> of(String path) throws IOException {
        if (isPattern(path) && !Files.exists(Path.of(path))) {
            return matching(path);
        }
        Path place = Path.of(path);
        if (!Files.isDirectory(place)) {
            return List.of(place);
        }
        try (Stream<Path> entries = Files.list(place)) {
            return entries.filter(Files::isRegularFile)
                    .filter(file -> !isHidden(file))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isPattern(String path) {
        return path.chars().anyMatch(c -> "*?[{".indexOf(c) >= 0);
    }

    private static List<Path> matching(String pattern) throws IOException {
        boolean absolute = pattern.startsWith("/");
        List<String> names =
                Stream.of(pattern.split("/", -1)).filter(name -> !name.isEmpty()).toList();
        var found = new TreeSet<Path>();
        match(Path.of(absolute ? "/" : ""), names, found);
        if (found.isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "no file matches {pattern}{folder}",
                    "pattern",
                    pattern,
                    "folder",
                    (absolute ? "" : " in " + Path.of("").toAbsolutePath()));
        }
        return List.copyOf(found);
    }

    private static void match(Path folder, List<String> names, Set<Path> found) throws IOException {
        String name = names.getFirst();
        List<String> rest = names.subList(1, names.size());
        if (name.equals(ANY_FOLDERS)) {
            match(folder, rest.isEmpty() ? List.of("*") : rest, found);
            for (Path entry : entries(folder)) {
                if (!isHidden(entry) && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                    match(entry, names, found);
                }
            }
        } else if (!isPattern(name)) {
            enter(folder.resolve(name), rest, found);
        } else {
            PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + name);
            boolean hiddenToo = name.startsWith(".") || name.startsWith("_");
            for (Path entry : entries(folder)) {
                if ((hiddenToo || !isHidden(entry)) && matcher.matches(entry.getFileName())) {
                    enter(entry, rest, found);
                }
            }
        }
    }

    private static void enter(Path entry, List<String> rest, Set<Path> found) throws IOException {
        if (!rest.isEmpty()) {
            if (Files.isDirectory(entry)) {
                match(entry, rest, found);
            }
        } else if (Files.isRegularFile(entry)) {
            found.add(entry);
        }
    }

    private static List<Path> entries(Path folder) throws IOException {
        Path listed = folder.toString().isEmpty() ? Path.of(".") : folder;
        if (!Files.isDirectory(listed)) {
            return List.of();
        }
        var entries = new ArrayList<Path>();
        try (Stream<Path> all = Files.list(listed)) {
            all.map(entry -> folder.resolve(entry.getFileName())).forEach(entries::add);
        }
        return List.copyOf(entries);
    }

    private static boolean isHidden(Path entry) {
        return entry.getFileName().toString().matches("[._].*");
    }
}
