package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.base.PrivateFolder;

/**
 * Queues submitted jobs, runs a few of them at a time, each in its own process, and keeps their
 * history. A warm process waits for the next job, so that the job does not wait for a JVM to start.
 * Closing ends all jobs. Thread-safe. Submitters are trusted with this machine: a job has all
 * permissions of the service's user.
 */
public final class JobService implements AutoCloseable, ServedJob.Owner {
    /** Number of ended jobs that can be shown in full. */
    private static final int SHOWN_MAX = 100;

    private static final int FOLLOWERS_PER_JOB_MAX = 50;

    private static final Duration SURPLUS_EVERY = Duration.ofHours(1);

    private static final DateTimeFormatter ID_TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private final JobSettings settings;
    private final HistoryFile history;
    private final ResumableJobs kept;
    private final JobObserver observer;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final SecureRandom random = new SecureRandom();
    private final Map<String, ServedJob> jobs = new LinkedHashMap<>();
    private final Deque<ServedJob> queued = new ArrayDeque<>();
    private @Nullable JobProcess spare;
    private int running;
    private boolean clearing;
    private boolean closed;

    private JobService(
            JobSettings settings, HistoryFile history, ResumableJobs kept, JobObserver observer) {
        this.settings = settings;
        this.observer = observer;
        this.history = history;
        this.kept = kept;
    }

    /**
     * Opens the service and removes what an earlier one left in the folder, except the history and
     * resumable jobs. If the earlier service was killed, the machines of its jobs are released, and
     * the history records their cost.
     */
    public static JobService open(JobSettings settings) {
        return open(settings, JobObserver.NONE);
    }

    /** As {@link #open(JobSettings)}, with an observer of all jobs. */
    public static JobService open(JobSettings settings, JobObserver observer) {
        try {
            // The folder contains arguments and output of jobs.
            PrivateFolder.create(settings.folder());
        } catch (IOException e) {
            throw FileProblem.of("cannot use the job folder " + settings.folder(), e);
        }
        HistoryFile history =
                HistoryFile.open(settings.folder().resolve("history.jsonl"), JobHistory.JOBS_MAX);
        ResumableJobs kept = new ResumableJobs(settings);
        try {
            // First, because workers of these jobs may still write into folders that are removed
            // below.
            JobLeases.settleAll(settings, history, kept);
            kept.tidy();
            JobNote.rememberAll(running(settings), history);
            ServedJob.delete(running(settings));
            Files.createDirectories(running(settings));
        } catch (IOException e) {
            throw FileProblem.of("cannot use the job folder " + settings.folder(), e);
        }
        JobService service = new JobService(settings, history, kept, observer);
        service.removeSurplus();
        Thread.ofVirtual().name("remove surplus jobs").start(service::removeSurplusNowAndThen);
        return service;
    }

    private void removeSurplusNowAndThen() {
        try {
            while (!closing.await(SURPLUS_EVERY.toSeconds(), TimeUnit.SECONDS)) {
                removeSurplus();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Called only while no job runs: a job that was submitted again may write to the same files as
     * the resumable one.
     */
    private void removeSurplus() {
        List<String> surplus = kept.surplus(Instant.now());
        synchronized (this) {
            if (surplus.isEmpty() || clearing || running > 0 || closed) {
                return;
            }
            clearing = true;
        }
        try {
            surplus.forEach(this::giveUpIfNobodyHasIt);
        } finally {
            synchronized (this) {
                clearing = false;
            }
            startNext();
        }
    }

    private void giveUpIfNobodyHasIt(String id) {
        try {
            giveUp(id);
        } catch (PetrichorException taken) {
            System.getLogger(JobService.class.getName())
                    .log(
                            System.Logger.Level.INFO,
                            "the job {0} cannot be removed yet: {1}",
                            id,
                            taken.getMessage());
        }
    }

    /** Whether an earlier service has left leases to settle, or files to remove. */
    public static boolean hasLeft(JobSettings settings) {
        for (Path folder : List.of(settings.leases(), settings.kept())) {
            String[] left = folder.toFile().list();
            if (left != null && left.length > 0) {
                return true;
            }
        }
        return false;
    }

    private static Path running(JobSettings settings) {
        return settings.folder().resolve("running").toAbsolutePath();
    }

    /**
     * Queues a job.
     *
     * @param jar its bytes
     */
    public JobSnapshot submit(byte[] jar, Submission wanted) {
        requireJar(jar);
        Submission submission = wanted.taught(history());
        ServedJob job;
        synchronized (this) {
            requireCapacity();
            String program = submission.program();
            job = job(newId(), program == null ? "unnamed" : program, submission);
            try {
                Files.write(job.jar(), jar);
            } catch (IOException e) {
                throw FileProblem.of("cannot keep the jar in " + job.jar(), e);
            }
            enqueue(job);
        }
        startNext();
        return job.snapshot();
    }

    /**
     * Resumes a stopped job after its last completed stage, as a new job with its own bill. The new
     * job's {@code resumes} is the id of the stopped one.
     */
    public JobSnapshot resume(String id) {
        ServedJob job;
        synchronized (this) {
            requireCapacity();
            String own = newId();
            JobSnapshot before = kept.claim(id, "the job " + own + ", which resumes it");
            try {
                kept.checkJar(id);
                job = job(own, before.name(), before.submission().resuming(id));
            } catch (RuntimeException e) {
                kept.release(id);
                throw e;
            }
            enqueue(job);
        }
        startNext();
        return job.snapshot();
    }

    /** All resumable jobs. */
    public List<ResumableJob> kept() {
        return kept.all();
    }

    /**
     * Removes the files of a resumable job.
     *
     * @return why something of it may be left where its results would be; empty if nothing is
     */
    public Optional<String> giveUp(String id) {
        JobSnapshot job = kept.claim(id, "its removal");
        try {
            Optional<String> complaint =
                    OrphanCleanup.of(
                            settings,
                            new Assignment(
                                    kept.jar(id),
                                    kept.folder(id),
                                    settings.leases(id),
                                    null,
                                    job.submission(),
                                    true));
            kept.remove(id);
            return complaint;
        } finally {
            kept.release(id);
        }
    }

    private void requireCapacity() {
        requireOpen();
        if (queued.size() >= settings.queuedMax()) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the queue is full ({queuedMax} jobs); submit the job later, or cancel queued"
                            + " jobs",
                    "queuedMax",
                    settings.queuedMax());
        }
    }

    private String newId() {
        return ID_TIME.format(Instant.now()) + "-%04x".formatted(random.nextInt(1 << 16));
    }

    /** Adds a job with its folder. */
    private ServedJob job(String id, String name, Submission submission) {
        Path folder = running(settings).resolve(id);
        try {
            Files.createDirectory(folder);
        } catch (IOException e) {
            throw FileProblem.of("cannot create a folder for a job: " + folder, e);
        }
        JobSnapshot snapshot = JobSnapshot.submitted(id, name, submission, Instant.now());
        JobNote.write(folder, snapshot);
        return new ServedJob(snapshot, folder, settings, kept, observer, this);
    }

    private void enqueue(ServedJob job) {
        jobs.put(job.snapshot().id(), job);
        queued.addLast(job);
    }

    private static void requireJar(byte[] jar) {
        boolean isDocument = jar.length > 0 && jar[0] == '{';
        if (!isDocument && (jar.length < 4 || jar[0] != 'P' || jar[1] != 'K')) {
            throw PetrichorException.invalid(
                    "the body is neither a jar nor a plan of the Python front end");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "the server is stopping");
        }
    }

    private void startNext() {
        ServedJob next;
        JobProcess process;
        synchronized (this) {
            boolean full = clearing || running >= settings.runningMax();
            next = closed || full ? null : queued.pollFirst();
            if (next == null) {
                return;
            }
            running++;
            process = spare != null && spare.isAlive() ? spare : null;
            spare = null;
        }
        try {
            JobProcess own = process == null ? JobProcess.start(settings) : process;
            if (!next.run(own)) {
                giveBackTurn();
            }
        } catch (PetrichorException noProcess) {
            if (next.snapshot().started() == null) {
                giveBackTurn();
            }
            next.gone("could not be started: " + noProcess.getMessage(), -1);
        }
    }

    private void giveBackTurn() {
        synchronized (this) {
            running--;
        }
        startNext();
    }

    @Override
    public void remember(JobSnapshot ended) {
        history.add(ended.record());
    }

    @Override
    public void over(ServedJob job) {
        synchronized (this) {
            // A job that never ran does not free a slot.
            if (!queued.remove(job) && job.snapshot().started() != null) {
                running--;
            }
            forget();
        }
        removeSurplus();
        startNext();
        keepReady();
    }

    private void keepReady() {
        synchronized (this) {
            if (closed || (spare != null && spare.isAlive())) {
                return;
            }
            try {
                spare = JobProcess.start(settings);
            } catch (PetrichorException noProcess) {
                // The next job tries again and reports the failure.
                spare = null;
            }
        }
    }

    /** The warm process for the next job; empty if there is none. */
    synchronized OptionalLong ready() {
        return spare == null ? OptionalLong.empty() : OptionalLong.of(spare.pid());
    }

    /** Forgets the details of all but the latest ended jobs. */
    private void forget() {
        int ended = 0;
        for (ServedJob job : jobs.values()) {
            ended += job.snapshot().state().hasEnded() ? 1 : 0;
        }
        for (Iterator<ServedJob> all = jobs.values().iterator();
                ended > SHOWN_MAX && all.hasNext(); ) {
            if (all.next().snapshot().state().hasEnded()) {
                all.remove();
                ended--;
            }
        }
    }

    private synchronized ServedJob job(String id) {
        ServedJob job = jobs.get(id);
        if (job == null) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "there is no job {id}; `petrichor job list` lists current jobs, `petrichor job"
                            + " history` earlier ones",
                    "id",
                    id);
        }
        return job;
    }

    /** Number of jobs whose processes run. */
    public synchronized int running() {
        return running;
    }

    /** Number of jobs in the queue. */
    public synchronized int queued() {
        return queued.size();
    }

    /** All jobs that can be shown, the latest first. */
    public synchronized List<JobSnapshot> jobs() {
        List<JobSnapshot> snapshots = new ArrayList<>();
        jobs.values().forEach(job -> snapshots.addFirst(job.snapshot()));
        return snapshots;
    }

    public JobSnapshot snapshot(String id) {
        return job(id).snapshot();
    }

    /** A job in full: its snapshot, its plan, and the last lines of its output. */
    public JsonObject show(String id) {
        ServedJob job = job(id);
        Progress.Job.Builder whole =
                job.snapshot().complete().toBuilder()
                        .addAllPlan(job.parts())
                        .addAllOutput(job.output());
        kept.find(id).ifPresent(one -> whole.setKept(one.message()));
        JsonObject json = ProgressJson.of(whole.build());
        for (String list : List.of("plan", "output")) {
            if (!json.has(list)) {
                json.add(list, new JsonArray());
            }
        }
        return json;
    }

    /** Cancels a job. Has no effect on a job that has ended. */
    public JobSnapshot cancel(String id) {
        ServedJob job = job(id);
        job.cancel("the job was cancelled while it was queued");
        return job.snapshot();
    }

    /** Subscribes to all future events of a job. */
    public JobSubscription follow(String id) {
        ServedJob job = job(id);
        if (job.followers() >= FOLLOWERS_PER_JOB_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the job has reached its limit of " + FOLLOWERS_PER_JOB_MAX + " subscribers");
        }
        return job.follow();
    }

    public JobHistory history() {
        return history.history();
    }

    /** The history, the latest job first. */
    public JsonArray historyJson(int jobsMax) {
        JsonArray all = new JsonArray();
        history().jobs().stream()
                .limit(jobsMax)
                .map(this::ended)
                .forEach(job -> all.add(ProgressJson.of(job)));
        return all;
    }

    private Progress.EndedJob ended(JobRecord job) {
        Progress.EndedJob.Builder ended = StatusMessages.of(job).toBuilder();
        kept.find(job.id()).ifPresent(one -> ended.setKept(one.message()));
        return ended.build();
    }

    @Override
    public void close() {
        List<ServedJob> all;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            all = List.copyOf(jobs.values());
            if (spare != null) {
                spare.close();
            }
        }
        closing.countDown();
        all.forEach(job -> job.stop("the server was stopped"));
        all.forEach(ServedJob::awaitEnd);
    }
}
