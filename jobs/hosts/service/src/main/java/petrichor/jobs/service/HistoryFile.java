package petrichor.jobs.service;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.FileProblem;

/**
 * The ended jobs: one {@link Progress.EndedJob} per line, as JSON, the latest last. Lines are
 * appended; once the file has twice the number of remembered jobs, it is rewritten. A line that was
 * cut off by a crash is skipped. Thread-safe.
 */
final class HistoryFile {
    private final Path file;
    private JobHistory history;
    private int lines;

    private HistoryFile(Path file, JobHistory history, int lines) {
        this.file = file;
        this.history = history;
        this.lines = lines;
    }

    static HistoryFile open(Path file, int jobsMax) {
        JobHistory history = new JobHistory(List.of(), jobsMax);
        int lines = 0;
        try {
            if (Files.exists(file)) {
                for (String line : Files.readAllLines(file)) {
                    lines++;
                    try {
                        history = history.with(parse(line));
                    } catch (RuntimeException cutOff) {
                        System.getLogger(HistoryFile.class.getName())
                                .log(
                                        System.Logger.Level.WARNING,
                                        "line {0} of {1} is not a job record; skipped",
                                        lines,
                                        file);
                    }
                }
            }
            return new HistoryFile(file, history, lines);
        } catch (IOException e) {
            throw FileProblem.of("cannot read the history of jobs in " + file, e);
        }
    }

    synchronized JobHistory history() {
        return history;
    }

    /** A record that cannot be written is kept in memory as long as this process lives. */
    synchronized void add(JobRecord job) {
        history = history.with(job);
        try {
            if (lines >= 2 * history.jobsMax()) {
                rewrite();
            } else {
                // The last line may have been cut off by a crash: start with a line break.
                Files.writeString(
                        file,
                        (lines == 0 ? "" : "\n") + line(job),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
                lines++;
            }
        } catch (IOException e) {
            System.getLogger(HistoryFile.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "the job {0} is missing in {1}: {2}",
                            job.id(),
                            file,
                            e);
        }
    }

    private void rewrite() throws IOException {
        List<String> all = new ArrayList<>();
        history.jobs().reversed().forEach(job -> all.add(line(job)));
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, String.join("\n", all));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        lines = all.size();
    }

    private static String line(JobRecord job) {
        return ProgressJson.of(StatusMessages.of(job)).toString();
    }

    private static JobRecord parse(String line) {
        JsonObject json = JsonParser.parseString(line).getAsJsonObject();
        return StatusMessages.record(
                ProgressJson.parse(FormerFiles.ended(json), Progress.EndedJob.newBuilder())
                        .build());
    }
}
