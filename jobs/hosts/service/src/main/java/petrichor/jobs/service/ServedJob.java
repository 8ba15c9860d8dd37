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

/** One job of a service: its image, who follows it, its process. Safe for all threads. */
final class ServedJob implements JobProcess.Listener {
    /** For a process to go, and for its folder. */
    private static final Duration GOING_MAX = Duration.ofSeconds(5);

    private final Path folder;
    private final JobSettings settings;
    private final Owner owner;
    private final @Nullable JobLeases leases;
    private final ResumableJobs kept;
    private final JobObservation observation;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<JobSubscription> followers = new ArrayList<>();
    private JobSnapshot image;
    private List<JobEvent.PlanPart> parts = List.of();
    private List<String> said = List.of();
    private @Nullable JobProcess process;
    private JobEvent.@Nullable Ended ending;
    private JobEvent.@Nullable Ended exiting;
    private boolean isKept;

    /** Whom the job belongs to. */
    interface Owner {
        /** To be remembered before anybody hears that it has ended. */
        void remember(JobSnapshot ended);

        /** Nothing of it is left, but for what it can be gone on with. */
        void over(ServedJob job);
    }

    ServedJob(
            JobSnapshot image,
            Path folder,
            JobSettings settings,
            ResumableJobs kept,
            JobObserver observer,
            Owner owner) {
        this.image = image;
        this.observation = new JobObservation(observer);
        this.kept = kept;
        this.folder = folder;
        this.settings = settings;
        this.owner = owner;
        this.leases = JobLeases.of(settings, image);
    }

    synchronized JobSnapshot image() {
        return image;
    }

    synchronized List<JobEvent.PlanPart> parts() {
        return parts;
    }

    /** The last lines that its code printed. */
    synchronized List<String> said() {
        return process == null ? said : process.said();
    }

    /** Where its jar waits for its turn. */
    Path jar() {
        return folder.resolve("job.jar");
    }

    /** Its turn has come; false if it was cancelled meanwhile. */
    boolean run(JobProcess own) {
        Submission submission;
        synchronized (this) {
            if (image.state() != JobState.SCHEDULED) {
                own.close();
                return false;
            }
            process = own;
            submission = image.submission();
            told(new JobEvent.Moved(JobState.RUNNING));
        }
        try {
            JobNote.write(folder, image());
            if (kept.keeps(submission)) {
                kept.begin(image(), jar());
                synchronized (this) {
                    isKept = true;
                }
            }
            if (leases != null) {
                leases.note(image());
            }
        } catch (PetrichorException e) {
            own.close();
            throw e;
        }
        own.run(assignment(submission), settings.silenceMax(), this);
        return true;
    }

    private synchronized Assignment assignment(Submission submission) {
        String id = image.id();
        return new Assignment(
                isKept ? kept.jar(id) : jar(),
                folder,
                settings.leases(id),
                isKept ? kept.files(id) : null,
                submission,
                false);
    }

    synchronized JobSubscription follow() {
        JobSubscription following = new JobSubscription(image, this::leave);
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
    public synchronized void told(JobEvent event) {
        if (event instanceof JobEvent.Alive || image.state().hasEnded()) {
            return;
        }
        if (event instanceof JobEvent.Compiled(var _, var all)) {
            parts = all;
        }
        if (event instanceof JobEvent.Exiting(var end)) {
            exiting = end;
            return;
        }
        if (event instanceof JobEvent.Printed) {
            followers.forEach(follower -> follower.tell(event, image));
            return;
        }
        if (event instanceof JobEvent.Ended end) {
            // It is told when the process is gone too, and the folder: then all has ended.
            ending = end;
            JobProcess own = process;
            if (own != null) {
                // It ends by itself, but a JVM takes a third of a second for that.
                own.end("it has ended");
            }
            return;
        }
        publish(event);
    }

    private void publish(JobEvent event) {
        JobSnapshot before = image;
        image = before.apply(event, Instant.now());
        observation.saw(before, event, image);
        if (event instanceof JobEvent.Ended end) {
            owner.remember(image);
            if (leases != null && end.cost() != null) {
                // Before anybody hears of it: whoever goes on with it must not find them.
                leases.remove();
            }
        }
        followers.forEach(follower -> follower.tell(event, image));
    }

    @Override
    public void gone(String how, int status) {
        synchronized (this) {
            JobEvent.Ended end = exiting;
            if (end != null && ending == null && status >= 0) {
                ending = end.exited(status);
            }
        }
        // First of all: what is still written by its workers could not be removed.
        JobCost cost = leases == null ? null : leases.settle();
        boolean stops = stops();
        if (!stops) {
            removeWhatIsLeft();
        }
        removeFolder();
        synchronized (this) {
            if (image.state().hasEnded()) {
                return;
            }
            JobProcess own = process;
            said = own == null ? said : own.said();
            process = null;
            JobEvent.Ended end = ending;
            boolean wanted = image.state() == JobState.CANCELING;
            JobEvent.Ended known =
                    end != null
                            ? end
                            : new JobEvent.Ended(
                                    wanted ? JobState.CANCELED : JobState.FAILED,
                                    wanted ? ErrorCode.ABORTED : ErrorCode.UNAVAILABLE,
                                    "the process of the job "
                                            + how
                                            + (said.isEmpty() ? "" : "; its output: ")
                                            + String.join(" | ", last(said)),
                                    Duration.ZERO,
                                    0);
            publish(advised(known, stops).with(cost));
        }
        finish();
    }

    /** It stopped through no fault of its own, and nobody wanted it to. */
    private synchronized boolean stops() {
        return isKept
                && (ending == null || ending.state() == JobState.FAILED)
                && image.state() != JobState.CANCELING
                && kept.isThere(image.id());
    }

    private void removeWhatIsLeft() {
        JobSnapshot known = image();
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

    private JobEvent.Ended advised(JobEvent.Ended end, boolean stops) {
        if (stops) {
            return end.with("; " + kept.stopped(image.id()).advice());
        }
        boolean killed = ending == null && image.state() != JobState.CANCELING;
        return isKept && killed ? end.with("; " + ResumableJobs.NOTHING_KEPT) : end;
    }

    private void finish() {
        String resumed = image().submission().resumes();
        if (resumed != null) {
            kept.release(resumed);
        }
        owner.over(this);
        over.countDown();
    }

    private static List<String> last(List<String> lines) {
        return lines.subList(Math.max(0, lines.size() - 3), lines.size());
    }

    /** Ends a job that waits at once; one that runs is asked, and made to end if it does not. */
    void cancel(String why) {
        JobProcess running;
        synchronized (this) {
            running = process;
            if (running != null) {
                told(new JobEvent.Moved(JobState.CANCELING));
            } else if (!image.state().hasEnded()) {
                publish(
                        new JobEvent.Ended(
                                JobState.CANCELED, ErrorCode.ABORTED, why, Duration.ZERO, 0));
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

    /** The service ends: what can be gone on with later is not cancelled. */
    void stop(String why) {
        JobProcess running;
        synchronized (this) {
            running = isKept && kept.isThere(image.id()) ? process : null;
        }
        if (running == null) {
            cancel(why);
        } else {
            running.end(why);
        }
    }

    /** Until its process is gone and its folder is removed. */
    void awaitEnd() {
        try {
            Duration longest =
                    settings.cancelWaitMax()
                            .plus(leases == null ? GOING_MAX : JobLeases.SETTLED_MAX);
            if (!over.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                System.getLogger(ServedJob.class.getName())
                        .log(System.Logger.Level.WARNING, "a job did not end: " + folder);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether its process was killed while its sinks were being written. */
    private synchronized boolean hasLeftSomething() {
        return ending == null && image.stages() > 0;
    }

    private void removeFolder() {
        try {
            delete(folder);
        } catch (IOException e) {
            System.getLogger(ServedJob.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot remove " + folder, e);
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
