package petrichor.jobs.service;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.jobs.jobgraph.JobState;

/**
 * The journal of jobs that have not ended: a file in the folder of each, written when the job is
 * submitted and when it starts, and removed with the folder. A job found there when a service
 * starts was lost with the previous service. Stateless.
 */
final class JobNote {
    private static final String FILE = "job.json";
    private static final System.Logger LOG = System.getLogger(JobNote.class.getName());

    private JobNote() {}

    static void write(Path folder, JobSnapshot snapshot) {
        try {
            Path fresh = folder.resolve(FILE + ".new");
            Files.writeString(fresh, snapshot.json(true).toString());
            Files.move(fresh, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw FileProblem.of("cannot record a job in " + folder, e);
        }
    }

    static JobSnapshot read(Path note) throws IOException {
        return JobSnapshot.parse(JsonParser.parseString(Files.readString(note)).getAsJsonObject());
    }

    /** Adds lost jobs to the history. */
    static void rememberAll(Path running, HistoryFile history) throws IOException {
        if (!Files.isDirectory(running)) {
            return;
        }
        List<Path> left;
        try (var all = Files.list(running)) {
            left = all.map(folder -> folder.resolve(FILE)).filter(Files::exists).sorted().toList();
        }
        for (Path each : left) {
            remember(each, history);
        }
    }

    private static void remember(Path note, HistoryFile history) throws IOException {
        JobSnapshot job;
        try {
            job = read(note);
        } catch (RuntimeException unreadable) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "cannot read the journal {0}; its job is lost",
                    note);
            return;
        }
        if (history.history().job(job.id()).isPresent()) {
            return;
        }
        String when = job.started() == null ? "while the job was queued" : "while it was running";
        JobSnapshot lost =
                job.apply(
                        EventMessages.ended(
                                EventMessages.end(
                                        JobState.FAILED,
                                        ErrorCode.UNAVAILABLE,
                                        "the server was killed " + when,
                                        Duration.ZERO)),
                        Instant.now());
        history.add(lost.record());
    }
}
