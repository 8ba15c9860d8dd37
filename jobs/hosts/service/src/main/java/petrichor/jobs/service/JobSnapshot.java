package petrichor.jobs.service;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.RepeatedStage;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.leased.JobCost;
import petrichor.jobs.service.Progress.Event;
import petrichor.jobs.tuning.JobProfile;

/**
 * A submitted job and its progress. Immutable; an event makes the next snapshot.
 *
 * @param job SCHEDULED while it is queued
 * @param totals what the tasks of earlier parts and rounds have done
 */
public record JobSnapshot(Progress.Job job, TaskTotals totals) {
    static final int ATTEMPTS_MAX = 100;
    static final int JOBS_MAX = 1_000;

    static JobSnapshot submitted(String id, String name, Submission submission, Instant now) {
        Progress.Job.Builder job =
                Progress.Job.newBuilder()
                        .setId(id)
                        .setName(name)
                        .setState(Progress.Job.State.SCHEDULED)
                        .setSubmission(StatusMessages.of(submission))
                        .setSubmitted(ProgressMessages.of(now));
        if (submission.resumes() != null) {
            job.setResumes(submission.resumes());
        }
        return new JobSnapshot(job.build(), TaskTotals.NONE);
    }

    /** Totals of an event, without those of earlier parts and rounds. */
    public static JobSnapshot of(Progress.Job job) {
        return new JobSnapshot(job, TaskTotals.NONE);
    }

    /**
     * Parses {@link #json}, or the form of an earlier version. INVALID_ARGUMENT if the text is
     * neither.
     */
    public static JobSnapshot parse(JsonObject json) {
        try {
            JobSnapshot snapshot =
                    of(
                            ProgressJson.parse(
                                            FormerFiles.snapshot(json), Progress.Job.newBuilder())
                                    .build());
            snapshot.requireValid();
            return snapshot;
        } catch (RuntimeException wrong) {
            throw PetrichorException.invalid(
                    "not a job snapshot: {reason}", "reason", wrong.getMessage());
        }
    }

    private void requireValid() {
        if (id().isEmpty() || !job.hasSubmitted()) {
            throw new IllegalArgumentException("it has no id or no time");
        }
        state();
        code();
        submission();
        tasks().forEach(TaskSnapshot::state);
    }

    public String id() {
        return job.getId();
    }

    public String name() {
        return job.getName();
    }

    public Submission submission() {
        Submission submission = StatusMessages.submission(job.getSubmission());
        return job.hasResumes() ? submission.resuming(job.getResumes()) : submission;
    }

    public JobState state() {
        return ProgressMessages.state(job.getState());
    }

    /** Code of the failure. */
    public @Nullable ErrorCode code() {
        return job.hasCode() ? ErrorCode.valueOf(job.getCode()) : null;
    }

    /** Reason of the failure or cancellation. */
    public @Nullable String failure() {
        return job.hasFailure() ? job.getFailure() : null;
    }

    public Instant submitted() {
        return ProgressMessages.instant(job.getSubmitted());
    }

    /** When the job left the queue. */
    public @Nullable Instant started() {
        return job.hasStarted() ? ProgressMessages.instant(job.getStarted()) : null;
    }

    /** Duration from start to end. */
    public @Nullable Duration elapsed() {
        return job.hasElapsedMillis() ? Duration.ofMillis(job.getElapsedMillis()) : null;
    }

    /** Subtasks of the current or last job graph. */
    public List<TaskSnapshot> tasks() {
        return job.getTasksList().stream().map(TaskSnapshot::new).toList();
    }

    /** Cost of the leased machines, once the job has ended; null if it leased none. */
    public @Nullable JobCost cost() {
        return job.hasCost() ? CloudMessages.cost(job.getCost()) : null;
    }

    /** Counters of user code, once the job has ended. */
    public JobCounters counters() {
        return ProgressMessages.counters(job.getCountersMap());
    }

    /** Restarted stages, the latest last; at most {@value #ATTEMPTS_MAX}, the first ones. */
    public List<RepeatedStage> attempts() {
        return job.getAttemptsList().stream().map(ProgressMessages::restarted).toList();
    }

    /** Whether the job is a program with a {@code main} method. */
    public boolean isMain() {
        return job.hasExitStatus() || job.getJobsCount() > 0;
    }

    /** An event about an unknown task or subtask changes nothing. */
    public JobSnapshot apply(Event event, Instant now) {
        Progress.Job.Builder next = job.toBuilder();
        TaskTotals sum = totals;
        switch (event.getKindCase()) {
            case SNAPSHOT -> {
                return of(event.getSnapshot());
            }
            case JOB -> moved(next, ProgressMessages.state(event.getJob().getState()), now);
            case COMPILED -> {
                next.setParts(event.getCompiled().getPartsCount());
                next.setName(job.getJobsCount() > 1 ? name() : event.getCompiled().getPlan());
            }
            case BEGAN -> {
                sum = totals.plus(tasks());
                began(next, event.getBegan());
            }
            case SUBTASK -> moved(next, event.getSubtask());
            case METRICS -> measured(next, event.getMetrics());
            case SCALED -> scaled(next, event.getScaled());
            case RESTARTED -> restarted(next, event.getRestarted());
            case PLAN_STARTED -> planStarted(next, event.getPlanStarted());
            case PLAN_ENDED -> {
                if (next.getJobsCount() > 0) {
                    next.setJobs(next.getJobsCount() - 1, event.getPlanEnded().getPlan());
                }
            }
            case ENDED -> ended(next, event.getEnded(), now);
            case PRINTED, EXITING, ALIVE, KIND_NOT_SET -> {
                return this;
            }
        }
        return new JobSnapshot(next.build(), sum);
    }

    private void moved(Progress.Job.Builder next, JobState to, Instant now) {
        if (state().mayBecome(to)) {
            next.setState(ProgressMessages.of(to));
            if (to == JobState.RUNNING) {
                next.setStarted(ProgressMessages.of(now));
            }
        }
    }

    private static void began(Progress.Job.Builder next, Event.Began began) {
        next.setPart(began.getPart())
                .setRound(began.getRound())
                .setStages(began.getStages())
                .clearTasks();
        began.getTasksList().forEach(task -> next.addTasks(TaskSnapshot.created(task).task()));
    }

    private static void moved(Progress.Job.Builder next, Event.SubtaskMoved moved) {
        Progress.Subtask.Builder subtask = subtask(next, moved.getTask(), moved.getSubtask());
        if (subtask != null) {
            subtask.setState(moved.getState()).clearFailure();
            if (moved.hasFailure()) {
                subtask.setFailure(moved.getFailure());
            }
        }
    }

    private static void measured(Progress.Job.Builder next, Event.Measured measured) {
        for (Event.Measured.Measurement each : measured.getSubtasksList()) {
            Progress.Subtask.Builder subtask = subtask(next, each.getTask(), each.getSubtask());
            if (subtask != null) {
                subtask.setMetrics(each.getMetrics());
            }
        }
    }

    private static void scaled(Progress.Job.Builder next, Event.Scaled scaled) {
        Progress.Task.Builder task = task(next, scaled.getTask());
        if (task != null) {
            task.addScalings(EventMessages.scaling(scaled));
        }
        for (Event.Scaled.Joined joined : scaled.getJoinedList()) {
            Progress.Task.Builder more = task(next, joined.getTask());
            if (more != null) {
                more.addSubtasks(TaskSnapshot.subtask(TaskState.READY));
            }
        }
    }

    private static Progress.Task.@Nullable Builder task(Progress.Job.Builder job, int id) {
        for (int i = 0; i < job.getTasksCount(); i++) {
            if (job.getTasks(i).getId() == id) {
                return job.getTasksBuilder(i);
            }
        }
        return null;
    }

    private static Progress.Subtask.@Nullable Builder subtask(
            Progress.Job.Builder job, int task, int subtask) {
        Progress.Task.Builder of = task(job, task);
        return of == null || subtask < 0 || subtask >= of.getSubtasksCount()
                ? null
                : of.getSubtasksBuilder(subtask);
    }

    private static void restarted(Progress.Job.Builder next, Event.Restarted restarted) {
        if (next.getAttemptsCount() < ATTEMPTS_MAX) {
            int repeats = 0;
            for (Progress.RestartedStage each : next.getAttemptsList()) {
                boolean isSame =
                        each.getPart() == next.getPart()
                                && each.getRound() == next.getRound()
                                && each.getStage() == restarted.getStage();
                repeats += isSame ? 1 : 0;
            }
            next.addAttemptsBuilder()
                    .setPart(next.getPart())
                    .setRound(next.getRound())
                    .setStage(restarted.getStage())
                    .setAttempt(repeats + 2)
                    .setWhy(restarted.getWhy());
        }
    }

    private static void planStarted(Progress.Job.Builder next, Event.PlanStarted started) {
        next.addJobsBuilder().setName(started.getName()).setState(Progress.Job.State.RUNNING);
        if (next.getJobsCount() > JOBS_MAX) {
            next.removeJobs(0);
        }
        if (next.getJobsCount() > 1) {
            next.setName(started.getProgram());
        }
    }

    private void ended(Progress.Job.Builder next, Event.End end, Instant now) {
        Instant from = started();
        next.setState(end.getState())
                .clearCode()
                .clearFailure()
                .clearCost()
                .clearCounters()
                .clearExitStatus()
                .setElapsedMillis(from == null ? 0 : Duration.between(from, now).toMillis())
                .setSpilledBytes(end.getSpilledBytes())
                .putAllCounters(end.getCountersMap());
        if (end.hasCode()) {
            next.setCode(end.getCode());
        }
        if (end.hasFailure()) {
            next.setFailure(end.getFailure());
        }
        if (end.hasCost()) {
            next.setCost(end.getCost());
        }
        if (end.hasExitStatus()) {
            next.setExitStatus(end.getExitStatus());
        }
    }

    /** With another name, unless its plan has given it one. */
    JobSnapshot named(String program) {
        return job.getParts() > 0
                ? this
                : new JobSnapshot(job.toBuilder().setName(program).build(), totals);
    }

    /** With the cost of machines that its caller leased. */
    public JobSnapshot with(JobCost cost) {
        return new JobSnapshot(job.toBuilder().setCost(CloudMessages.of(cost)).build(), totals);
    }

    /** What its tasks have done so far: of the job graph that runs, or ran last. */
    public JobProfile profile() {
        return new JobProfile(tasks().stream().map(TaskSnapshot::profile).toList());
    }

    /** What the history remembers of it when it has ended. */
    JobRecord record() {
        Instant started = started();
        Duration elapsed = elapsed();
        return new JobRecord(
                id(),
                name(),
                state(),
                started == null ? submitted() : started,
                elapsed == null ? Duration.ZERO : elapsed,
                failure(),
                totals.plus(tasks()).records(),
                cost(),
                counters(),
                submission().resumes(),
                attempts());
    }

    /** The message, with what is derived for its readers. */
    Progress.Job complete() {
        Progress.Job.Builder complete = job.toBuilder();
        for (int i = 0; i < job.getTasksCount(); i++) {
            complete.setTasks(i, new TaskSnapshot(job.getTasks(i)).complete());
        }
        return complete.build();
    }

    /** All of it; {@code brief} leaves the tasks out. */
    public JsonObject json(boolean brief) {
        JsonObject json = ProgressJson.of(brief ? job : complete());
        if (brief) {
            json.remove("tasks");
        }
        return json;
    }
}
