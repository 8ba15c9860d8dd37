package petrichor.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The origin of published figures: {@code measured.csv} in a folder of results has, for each file,
 * the commit and the time of its measurement, and the command.
 */
public final class MeasuredFiles {
    static final String NAME = "measured.csv";

    private static final List<String> HEADER = List.of("file", "commit", "measured", "command");

    private MeasuredFiles() {}

    /**
     * Records the origin of all CSV and JSON files of this folder that have been written since
     * then.
     *
     * @param source a folder of the checkout that was measured
     */
    public static void record(Path folder, Instant since, Path source, List<String> command)
            throws IOException {
        List<String> written = written(folder, since);
        if (written.isEmpty()) {
            return;
        }
        Map<String, List<String>> rows = new TreeMap<>();
        Path list = folder.resolve(NAME);
        if (Files.exists(list)) {
            ResultTable.read(list).rows().forEach(row -> rows.put(row.getFirst(), row));
        }
        String commit = commit(source);
        String time = since.truncatedTo(ChronoUnit.SECONDS).toString();
        for (String file : written) {
            rows.put(file, List.of(file, commit, time, String.join(" ", command)));
        }
        new ResultTable(HEADER, new ArrayList<>(rows.values())).write(list);
    }

    private static List<String> written(Path folder, Instant since) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        // File systems keep times with less precision than the clock.
        FileTime earliest = FileTime.from(since.truncatedTo(ChronoUnit.SECONDS));
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if ((name.endsWith(".csv") || name.endsWith(".json"))
                        && !name.equals(NAME)
                        && Files.getLastModifiedTime(file).compareTo(earliest) >= 0) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    /** With a plus sign if the checkout has changes; "unknown" outside of a checkout. */
    private static String commit(Path source) throws IOException {
        String commit = git(source, "rev-parse", "--short=8", "HEAD");
        if (commit.isEmpty()) {
            return "unknown";
        }
        return git(source, "status", "--porcelain", "--untracked-files=no").isEmpty()
                ? commit
                : commit + "+";
    }

    private static String git(Path source, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("git", "-C", source.toString()));
        command.addAll(List.of(arguments));
        Process process;
        try {
            process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
        } catch (IOException noGit) {
            return "";
        }
        try {
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? output.strip() : "";
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
