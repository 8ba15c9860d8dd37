package petrichor.jobs.service;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.service.Progress.Event;

/** What happens to a job, as messages. Stateless. */
final class EventMessages {
    /** The exit status of a plan whose command line is wrong. */
    static final int USAGE = 2;

    private EventMessages() {}

    static Event snapshot(JobSnapshot snapshot) {
        return Event.newBuilder().setSnapshot(snapshot.complete()).build();
    }

    static Event moved(JobState to) {
        return Event.newBuilder()
                .setJob(Event.Moved.newBuilder().setState(ProgressMessages.of(to)))
                .build();
    }

    static Event compiled(String plan, List<Progress.PlanPart> parts) {
        return Event.newBuilder()
                .setCompiled(Event.Compiled.newBuilder().setPlan(plan).addAllParts(parts))
                .build();
    }

    static Event began(int part, int round, int stages, List<Progress.Task> tasks) {
        return Event.newBuilder()
                .setBegan(
                        Event.Began.newBuilder()
                                .setPart(part)
                                .setRound(round)
                                .setStages(stages)
                                .addAllTasks(tasks))
                .build();
    }

    static Event subtaskMoved(SubtaskId subtask, TaskState to, @Nullable String why) {
        Event.Builder event = Event.newBuilder();
        event.getSubtaskBuilder()
                .setTask(subtask.vertex())
                .setSubtask(subtask.subtask())
                .setState(ProgressMessages.of(to));
        if (why != null) {
            event.getSubtaskBuilder().setFailure(why);
        }
        return event.build();
    }

    static Event measured(Map<SubtaskId, SubtaskMetrics> metrics) {
        Event.Measured.Builder all = Event.Measured.newBuilder();
        metrics.forEach(
                (subtask, one) ->
                        all.addSubtasksBuilder()
                                .setTask(subtask.vertex())
                                .setSubtask(subtask.subtask())
                                .setMetrics(ProgressMessages.of(one)));
        return Event.newBuilder().setMetrics(all).build();
    }

    static Event scaled(TaskScaling scaling, List<SubtaskId> joined) {
        Event.Scaled.Builder scaled =
                Event.Scaled.newBuilder()
                        .setTask(scaling.vertex())
                        .setFrom(scaling.from())
                        .setTo(scaling.to())
                        .setAtMillis(scaling.at().toMillis())
                        .setWhy(scaling.why());
        for (SubtaskId one : joined) {
            scaled.addJoinedBuilder().setTask(one.vertex()).setSubtask(one.subtask());
        }
        return Event.newBuilder().setScaled(scaled).build();
    }

    static Event restarted(int stage, String why) {
        return Event.newBuilder()
                .setRestarted(Event.Restarted.newBuilder().setStage(stage).setWhy(why))
                .build();
    }

    static Event planStarted(String program, String name) {
        return Event.newBuilder()
                .setPlanStarted(Event.PlanStarted.newBuilder().setProgram(program).setName(name))
                .build();
    }

    static Event planEnded(
            String name,
            JobState state,
            @Nullable String failure,
            Duration elapsed,
            JobCounters counters) {
        Progress.SubmittedPlan.Builder plan =
                Progress.SubmittedPlan.newBuilder()
                        .setName(name)
                        .setState(ProgressMessages.of(state))
                        .setElapsedMillis(elapsed.toMillis())
                        .putAllCounters(ProgressMessages.of(counters));
        if (failure != null) {
            plan.setFailure(failure);
        }
        return Event.newBuilder().setPlanEnded(Event.PlanEnded.newBuilder().setPlan(plan)).build();
    }

    /**
     * @param error whether to standard error
     */
    static Event printed(boolean error, String text) {
        return Event.newBuilder()
                .setPrinted(Event.Printed.newBuilder().setError(error).setText(text))
                .build();
    }

    static Event alive() {
        return Event.newBuilder().setAlive(Event.Alive.getDefaultInstance()).build();
    }

    static Event exiting(Event.End end) {
        return Event.newBuilder().setExiting(end).build();
    }

    static Event ended(Event.End end) {
        return Event.newBuilder().setEnded(end).build();
    }

    /** Fails, with any exception, if the event has a word that this version does not know. */
    static void requireValid(Event event) {
        switch (event.getKindCase()) {
            case JOB -> ProgressMessages.state(event.getJob().getState());
            case SUBTASK -> ProgressMessages.state(event.getSubtask().getState());
            case SCALED -> ProgressMessages.scaling(scaling(event.getScaled()), 0);
            case ENDED -> requireValid(event.getEnded());
            case EXITING -> requireValid(event.getExiting());
            case SNAPSHOT,
                    COMPILED,
                    BEGAN,
                    METRICS,
                    RESTARTED,
                    PLAN_STARTED,
                    PLAN_ENDED,
                    PRINTED,
                    ALIVE,
                    KIND_NOT_SET -> {}
        }
    }

    private static void requireValid(Event.End end) {
        ProgressMessages.state(end.getState());
        if (end.hasCode()) {
            ErrorCode.valueOf(end.getCode());
        }
    }

    /** Without its task. */
    static Progress.Scaling scaling(Event.Scaled scaled) {
        return Progress.Scaling.newBuilder()
                .setFrom(scaled.getFrom())
                .setTo(scaled.getTo())
                .setAtMillis(scaled.getAtMillis())
                .setWhy(scaled.getWhy())
                .build();
    }

    /** An end of which nothing more is known. */
    static Event.End end(
            JobState state, @Nullable ErrorCode code, @Nullable String why, Duration elapsed) {
        Event.End.Builder end =
                Event.End.newBuilder()
                        .setState(ProgressMessages.of(state))
                        .setElapsedMillis(elapsed.toMillis());
        if (code != null) {
            end.setCode(code.name());
        }
        if (why != null) {
            end.setFailure(why);
        }
        return end.build();
    }

    /** The end of a program whose {@code main} ended with this status. */
    static Event.End exited(Event.End end, int status) {
        Event.End.Builder exited = end.toBuilder().setExitStatus(status);
        if (status != 0 && end.getState() == Progress.Job.State.FINISHED) {
            exited.setState(Progress.Job.State.FAILED)
                    .setCode(ErrorCode.FAILED_PRECONDITION.name())
                    .setFailure("its main exited with status " + status);
        }
        return exited.build();
    }
}
