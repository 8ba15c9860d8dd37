package petrichor.jobs.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.leased.JobCost;

/** A job of a service: its snapshot, its subscribers, its process. Thread-safe. */
final class ServedJob implements JobProcess.Listener {
    /** How long the end of a process and the removal of its folder may take. */
    private static final Duration GOING_MAX = Duration.ofSeconds(5);

    private final Path folder;
    private final JobSettings settings;
    private final Owner owner;
    private final @Nullable JobLeases leases;
    private final ResumableJobs kept;
    private final JobObservation observation;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<JobSubscription> followers = new ArrayList<>();
    private JobSnapshot snapshot;
    private List<Progress.PlanPart> parts = List.of();
    private List<String> output = List.of();
    private @Nullable JobProcess process;
    private Progress.Event.@Nullable End ending;
    private Progress.Event.@Nullable End exiting;
    private boolean isKept;

    /** The service that the job belongs to. */
    interface Owner {
        /** Records the job in the history, before its subscribers learn that it has ended. */
        void remember(JobSnapshot ended);

        /** All files of the job are removed, except those for resuming it. */
        void over(ServedJob job);
    }

    ServedJob(
            JobSnapshot snapshot,
            Path folder,
            JobSettings settings,
            ResumableJobs kept,
            JobObserver observer,
            Owner owner) {
        this.snapshot = snapshot;
        this.observation = new JobObservation(observer);
        this.kept = kept;
        this.folder = folder;
        this.settings = settings;
        this.owner = owner;
        this.leases = JobLeases.of(settings, snapshot);
    }

    synchronized JobSnapshot snapshot() {
        return snapshot;
    }

    synchronized List<Progress.PlanPart> parts() {
        return parts;
    }

    /** The last lines of the job's output. */
    synchronized List<String> output() {
        return process == null ? output : process.output();
    }

    /** The jar of the queued job. */
    Path jar() {
        return folder.resolve("job.jar");
    }

    /** Starts the job; false if it was cancelled before. */
    boolean run(JobProcess own) {
        Submission submission;
        synchronized (this) {
            if (snapshot.state() != JobState.SCHEDULED) {
                own.close();
                return false;
            }
            process = own;
            submission = snapshot.submission();
            happened(EventMessages.moved(JobState.RUNNING));
        }
        try {
            JobNote.write(folder, snapshot());
            if (kept.keeps(submission)) {
                kept.begin(snapshot(), jar());
                synchronized (this) {
                    isKept = true;
                }
            }
            if (leases != null) {
                leases.note(snapshot());
            }
        } catch (PetrichorException e) {
            own.close();
            throw e;
        }
        own.run(assignment(submission), settings.silenceMax(), this);
        return true;
    }

    private synchronized Assignment assignment(Submission submission) {
        String id = snapshot.id();
        return new Assignment(
                isKept ? kept.jar(id) : jar(),
                folder,
                settings.leases(id),
                isKept ? kept.files(id) : null,
                submission,
                false);
    }

    synchronized JobSubscription follow() {
        JobSubscription following = new JobSubscription(snapshot, this::leave);
        followers.add(following);
        return following;
    }

    private synchronized void leave(JobSubscription following) {
        followers.remove(following);
    }

    synchronized int followers() {
        return followers.size();
    }

    @Override
    public synchronized void happened(Progress.Event event) {
        if (snapshot.state().hasEnded()) {
            return;
        }
        switch (event.getKindCase()) {
            case EXITING -> exiting = event.getExiting();
            case PRINTED -> followers.forEach(follower -> follower.add(event, snapshot));
            case ENDED -> {
                // Published after the process and the folder are gone, so that an ended job leaves
                // nothing behind.
                ending = event.getEnded();
                JobProcess own = process;
                if (own != null) {
                    // The process ends by itself, but a JVM takes a third of a second for that.
                    own.end("it has ended");
                }
            }
            case COMPILED -> {
                parts = event.getCompiled().getPartsList();
                publish(event);
            }
            case JOB, BEGAN, SUBTASK, METRICS, SCALED, RESTARTED, PLAN_STARTED, PLAN_ENDED ->
                    publish(event);
            // Snapshots are for subscribers; a job's process sends only events.
            case SNAPSHOT, ALIVE, KIND_NOT_SET -> {}
        }
    }

    private void publish(Progress.Event event) {
        JobSnapshot before = snapshot;
        snapshot = before.apply(event, Instant.now());
        observation.saw(before, event, snapshot);
        if (event.hasEnded()) {
            owner.remember(snapshot);
            if (leases != null && event.getEnded().hasCost()) {
                // Before subscribers are informed: a job that resumes this one must not find the
                // files.
                leases.remove();
            }
        }
        followers.forEach(follower -> follower.add(event, snapshot));
    }

    @Override
    public void gone(String how, int status) {
        synchronized (this) {
            Progress.Event.End end = exiting;
            if (end != null && ending == null && status >= 0) {
                ending = EventMessages.exited(end, status);
            }
        }
        // First, because workers may still write files.
        JobCost cost = leases == null ? null : leases.settle();
        boolean stops = stops();
        if (!stops) {
            removeWhatIsLeft();
        }
        removeFolder();
        synchronized (this) {
            if (snapshot.state().hasEnded()) {
                return;
            }
            JobProcess own = process;
            output = own == null ? output : own.output();
            process = null;
            Progress.Event.End end = ending;
            boolean wanted = snapshot.state() == JobState.CANCELING;
            Progress.Event.End known =
                    end != null
                            ? end
                            : EventMessages.end(
                                    wanted ? JobState.CANCELED : JobState.FAILED,
                                    wanted ? ErrorCode.ABORTED : ErrorCode.UNAVAILABLE,
                                    "the process of the job "
                                            + how
                                            + (output.isEmpty() ? "" : "; its output: ")
                                            + String.join(" | ", last(output)),
                                    Duration.ZERO);
            Progress.Event.End.Builder all = advised(known, stops).toBuilder().clearCost();
            if (cost != null) {
                all.setCost(CloudMessages.of(cost));
            }
            publish(EventMessages.ended(all.build()));
        }
        finish();
    }

    /** Whether the job stopped because of an external failure and was not cancelled. */
    private synchronized boolean stops() {
        return isKept
                && (ending == null || ending.getState() == Progress.Job.State.FAILED)
                && snapshot.state() != JobState.CANCELING
                && kept.isThere(snapshot.id());
    }

    private void removeWhatIsLeft() {
        JobSnapshot known = snapshot();
        boolean keeps;
        synchronized (this) {
            keeps = isKept;
        }
        if (hasLeftSomething() || (keeps && kept.isThere(known.id()))) {
            OrphanCleanup.of(settings, assignment(known.submission()));
        }
        if (keeps) {
            kept.remove(known.id());
        }
    }

    private Progress.Event.End advised(Progress.Event.End end, boolean stops) {
        if (stops) {
            return with(end, kept.stopped(snapshot.id()).advice());
        }
        boolean killed = ending == null && snapshot.state() != JobState.CANCELING;
        return isKept && killed ? with(end, ResumableJobs.NOTHING_KEPT) : end;
    }

    private static Progress.Event.End with(Progress.Event.End end, String advice) {
        return end.toBuilder().setFailure(end.getFailure() + "; " + advice).build();
    }

    private void finish() {
        String resumed = snapshot().submission().resumes();
        if (resumed != null) {
            kept.release(resumed);
        }
        owner.over(this);
        over.countDown();
    }

    private static List<String> last(List<String> lines) {
        return lines.subList(Math.max(0, lines.size() - 3), lines.size());
    }

    /**
     * Cancels a queued job, or asks the process of a running job to end and kills it if it does
     * not.
     */
    void cancel(String why) {
        JobProcess running;
        synchronized (this) {
            running = process;
            if (running != null) {
                happened(EventMessages.moved(JobState.CANCELING));
            } else if (!snapshot.state().hasEnded()) {
                publish(
                        EventMessages.ended(
                                EventMessages.end(
                                        JobState.CANCELED, ErrorCode.ABORTED, why, Duration.ZERO)));
            } else {
                return;
            }
        }
        if (running == null) {
            removeFolder();
            finish();
            return;
        }
        running.cancel();
        Thread.ofVirtual()
                .name("end of job")
                .start(
                        () -> {
                            try {
                                Thread.sleep(settings.cancelWaitMax());
                                running.end("it did not stop when asked to");
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    /** The service closes: a job that can be resumed later is not cancelled. */
    void stop(String why) {
        JobProcess running;
        synchronized (this) {
            running = isKept && kept.isThere(snapshot.id()) ? process : null;
        }
        if (running == null) {
            cancel(why);
        } else {
            running.end(why);
        }
    }

    /** Waits until the process is gone and its folder removed. */
    void awaitEnd() {
        try {
            Duration longest =
                    settings.cancelWaitMax()
                            .plus(leases == null ? GOING_MAX : JobLeases.SETTLED_MAX);
            if (!over.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                System.getLogger(ServedJob.class.getName())
                        .log(System.Logger.Level.WARNING, "the job in {0} did not end", folder);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the process was killed while its sinks were being committed. */
    private synchronized boolean hasLeftSomething() {
        return ending == null && snapshot.job().getStages() > 0;
    }

    private void removeFolder() {
        try {
            delete(folder);
        } catch (IOException e) {
            System.getLogger(ServedJob.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot remove {0}: {1}", folder, e);
        }
    }

    static void delete(Path path) throws IOException {
        if (Files.exists(path)) {
            try (var below = Files.walk(path)) {
                for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
