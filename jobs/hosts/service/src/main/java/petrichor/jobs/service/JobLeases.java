package petrichor.jobs.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.leased.JobCost;
import petrichor.jobs.leased.LeaseSettlement;
import petrichor.jobs.leased.LeaseTerms;

/**
 * What a job has leased: a folder with its machines, its leases, and a note whose they are. The
 * note is there before anything is leased, and goes when everything is given back and the job
 * remembered: a service that was killed finds in it what to settle. The job's process leases; who
 * settles does so when that process is gone. Belongs to one thread.
 */
record JobLeases(Path folder, String job, LeaseTerms terms) {
    private static final System.Logger LOG = System.getLogger(JobLeases.class.getName());
    private static final String NOTE = "job.json";
    private static final String FRESH_NOTE = "job.json.new";

    /** A process whose input has ended is gone in far less. */
    private static final Duration GONE_MAX = Duration.ofSeconds(10);

    private static final long LOOK_AGAIN_NANOS = 50_000_000;

    /** For everything to be settled. */
    static final Duration SETTLED_MAX = Duration.ofSeconds(40);

    /** Null for a job that leases nothing. */
    static @Nullable JobLeases of(JobSettings settings, JobSnapshot job) {
        LeaseTerms terms = job.submission().cloud();
        return terms == null ? null : new JobLeases(settings.leases(job.id()), job.id(), terms);
    }

    /** To be called before anything is leased. */
    void note(JobSnapshot snapshot) {
        try {
            Files.createDirectories(folder);
            Path fresh = folder.resolve(FRESH_NOTE);
            Files.writeString(fresh, snapshot.json(true).toString());
            Files.move(fresh, folder.resolve(NOTE), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw FileProblem.of("cannot record in " + folder + " that a job leases machines", e);
        }
    }

    /** Gives back what is still leased; null if that, or the bill, cannot be found out now. */
    @Nullable JobCost settle() {
        long started = System.nanoTime();
        while (true) {
            try {
                LeaseSettlement settlement = LeaseSettlement.of(terms.in(folder), job);
                if (settlement.left() > 0) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            settlement.left()
                                    + " machines of the job "
                                    + job
                                    + " did not stop; the service stops them at its next start");
                }
                return settlement.cost();
            } catch (RuntimeException e) {
                boolean stillRuns =
                        e instanceof PetrichorException known
                                && known.code() == ErrorCode.FAILED_PRECONDITION;
                if (!stillRuns || System.nanoTime() - started > GONE_MAX.toNanos()) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "the machines of the job " + job + " were not released",
                            e);
                    return null;
                }
                LockSupport.parkNanos(LOOK_AGAIN_NANOS);
            }
        }
    }

    /** Everything is settled, and remembered. */
    void remove() {
        try {
            ServedJob.delete(folder);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot remove " + folder, e);
        }
    }

    /** Settles what the jobs of a service had leased that was killed; they stand in the history. */
    static void settleAll(JobSettings settings, HistoryFile history, ResumableJobs kept)
            throws IOException {
        if (!Files.isDirectory(settings.leases())) {
            return;
        }
        List<Path> left;
        try (var all = Files.list(settings.leases())) {
            left = all.toList();
        }
        for (Path each : left) {
            settle(each, settings, history, kept);
        }
    }

    private static void settle(
            Path left, JobSettings settings, HistoryFile history, ResumableJobs kept)
            throws IOException {
        Path note = left.resolve(NOTE);
        if (!Files.exists(note)) {
            // Nothing was leased yet.
            ServedJob.delete(left);
            return;
        }
        JobSnapshot job;
        try {
            job = JobNote.read(note);
        } catch (RuntimeException unreadable) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the leases in " + left + " belong to an unknown job");
            return;
        }
        JobLeases leases = of(settings, job);
        if (leases == null || !leases.folder().equals(left)) {
            LOG.log(System.Logger.Level.WARNING, "the leases in " + left + " belong to no job");
            return;
        }
        JobCost cost = leases.settle();
        if (cost == null) {
            return;
        }
        if (history.history().job(job.id()).isEmpty()) {
            String advice =
                    kept.isThere(job.id())
                            ? kept.stopped(job.id()).advice()
                            : ResumableJobs.NOTHING_KEPT;
            Progress.Event.End end =
                    EventMessages.end(
                            JobState.FAILED,
                            ErrorCode.UNAVAILABLE,
                            "the server stopped while the job ran; its machines are released; "
                                    + advice,
                            Duration.ZERO);
            JobSnapshot ended = job.apply(EventMessages.ended(end), Instant.now());
            history.add(ended.with(cost).record());
        }
        leases.remove();
    }
}
