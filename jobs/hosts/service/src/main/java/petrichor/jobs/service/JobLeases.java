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
 * The leases of a job: a folder with its machines, its leases, and a record of the job they belong
 * to. The record is written before anything is leased, and removed when all machines are released
 * and the job is in the history, so that a restarted service finds the leases to settle. The job's
 * process leases; the service settles after that process has ended. Confined to one thread.
 */
record JobLeases(Path folder, String job, LeaseTerms terms) {
    private static final System.Logger LOG = System.getLogger(JobLeases.class.getName());
    private static final String NOTE = "job.json";
    private static final String FRESH_NOTE = "job.json.new";

    /** Ends a process whose input is closed, with a wide margin. */
    private static final Duration GONE_MAX = Duration.ofSeconds(10);

    private static final long POLL_NANOS = 50_000_000;

    /** Bounds the settlement of a job. */
    static final Duration SETTLED_MAX = Duration.ofSeconds(40);

    /** Null for a job that leases nothing. */
    static @Nullable JobLeases of(JobSettings settings, JobSnapshot job) {
        LeaseTerms terms = job.submission().cloud();
        return terms == null ? null : new JobLeases(settings.leases(job.id()), job.id(), terms);
    }

    /** Records the job. Must be called before anything is leased. */
    void note(JobSnapshot snapshot) {
        try {
            Files.createDirectories(folder);
            Path fresh = folder.resolve(FRESH_NOTE);
            Files.writeString(fresh, snapshot.json(true).toString());
            Files.move(fresh, folder.resolve(NOTE), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw FileProblem.of("cannot record the leases of a job in " + folder, e);
        }
    }

    /**
     * Releases the remaining machines.
     *
     * @return null if the release or the bill cannot be confirmed now
     */
    @Nullable JobCost settle() {
        long started = System.nanoTime();
        while (true) {
            try {
                LeaseSettlement settlement = LeaseSettlement.of(terms.in(folder), job);
                if (settlement.left() > 0) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "{0} machines of the job {1} did not stop; the service stops them at"
                                    + " its next start",
                            settlement.left(),
                            job);
                }
                return settlement.cost();
            } catch (RuntimeException e) {
                boolean stillRuns =
                        e instanceof PetrichorException known
                                && known.code() == ErrorCode.FAILED_PRECONDITION;
                if (!stillRuns || System.nanoTime() - started > GONE_MAX.toNanos()) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "the machines of the job {0} were not released: {1}",
                            job,
                            e);
                    return null;
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    /** Removes the folder, once the leases are settled and the job is in the history. */
    void remove() {
        try {
            ServedJob.delete(folder);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot remove {0}: {1}", folder, e);
        }
    }

    /** Settles the leases of jobs whose service was killed, and adds these jobs to the history. */
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
                    "the leases in {0} belong to an unknown job",
                    left);
            return;
        }
        JobLeases leases = of(settings, job);
        if (leases == null || !leases.folder().equals(left)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the leases in {0} belong to no job with leases",
                    left);
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
