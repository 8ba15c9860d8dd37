package petrichor.jobs.service;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.RepeatedStage;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.leased.JobCost;
import petrichor.jobs.tuning.JobProfile;

/**
 * A submitted job and how far it is. Immutable; events make the next image.
 *
 * @param name of its plan; of its program until the plan is written
 * @param state SCHEDULED while it waits for its turn
 * @param code of the failure, or null
 * @param failure why it failed or was canceled, or null
 * @param begun when its turn came, or null
 * @param elapsed from then to its end, or null
 * @param parts how many job graphs it is; 0 until that is known
 * @param part the one that runs, from 0
 * @param round of an iteration, from 0
 * @param stages of the job graph that runs
 * @param tasks of the job graph that runs
 * @param totals what the tasks of earlier parts and rounds have done
 * @param cost of the machines that it had leased, when it has ended; null if it leased none
 * @param counters what its own code has counted, when it has ended
 * @param report what happened on its way
 */
public record JobSnapshot(
        String id,
        String name,
        Submission submission,
        JobState state,
        @Nullable ErrorCode code,
        @Nullable String failure,
        Instant submitted,
        @Nullable Instant begun,
        @Nullable Duration elapsed,
        int parts,
        int part,
        int round,
        int stages,
        List<TaskImage> tasks,
        TaskTotals totals,
        long spilledBytes,
        @Nullable JobCost cost,
        JobCounters counters,
        RunReport report) {
    public JobSnapshot {
        tasks = List.copyOf(tasks);
    }

    static JobSnapshot submitted(String id, String name, Submission submission, Instant now) {
        return new JobSnapshot(
                id,
                name,
                submission,
                JobState.SCHEDULED,
                null,
                null,
                now,
                null,
                null,
                0,
                0,
                0,
                0,
                List.of(),
                TaskTotals.NONE,
                0,
                null,
                JobCounters.NONE,
                RunReport.NONE);
    }

    /** What a task that does not exist is said to do is not heard. */
    public JobSnapshot apply(JobEvent event, Instant now) {
        return switch (event) {
            case JobEvent.Moved(var to) ->
                    state.mayBecome(to)
                            ? copy(name, to, to == JobState.RUNNING ? now : begun, tasks)
                            : this;
            case JobEvent.Compiled(var plan, var all) ->
                    new JobSnapshot(
                            id,
                            report.jobs().size() > 1 ? name : plan,
                            submission,
                            state,
                            code,
                            failure,
                            submitted,
                            begun,
                            elapsed,
                            all.size(),
                            part,
                            round,
                            stages,
                            tasks,
                            totals,
                            spilledBytes,
                            cost,
                            counters,
                            report);
            case JobEvent.Began(var nextPart, var nextRound, var nextStages, var nextTasks) ->
                    new JobSnapshot(
                            id,
                            name,
                            submission,
                            state,
                            code,
                            failure,
                            submitted,
                            begun,
                            elapsed,
                            parts,
                            nextPart,
                            nextRound,
                            nextStages,
                            nextTasks.stream().map(TaskImage::of).toList(),
                            totals.plus(tasks),
                            spilledBytes,
                            cost,
                            counters,
                            report);
            case JobEvent.SubtaskMoved(var id, var to, var why) ->
                    change(id.vertex(), task -> moved(task, id.subtask(), to, why));
            case JobEvent.Measured(var figures) -> {
                List<TaskImage> next = new ArrayList<>(tasks);
                next.replaceAll(
                        task -> {
                            TaskImage changed = task;
                            for (var each : figures.entrySet()) {
                                int subtask = each.getKey().subtask();
                                if (each.getKey().vertex() == task.task().id()
                                        && subtask < task.subtasks().size()) {
                                    changed = changed.measured(subtask, each.getValue());
                                }
                            }
                            return changed;
                        });
                yield copy(name, state, begun, next);
            }
            case JobEvent.Scaled(var scaling, var joined) -> {
                JobSnapshot next = change(scaling.vertex(), task -> task.scaled(scaling));
                for (SubtaskId one : joined) {
                    next = next.change(one.vertex(), TaskImage::joined);
                }
                yield next;
            }
            case JobEvent.Restarted(var stage, var why) ->
                    with(
                            report.repeats(
                                    new RepeatedStage(
                                            part,
                                            round,
                                            stage,
                                            report.nextAttempt(part, round, stage),
                                            why)));
            case JobEvent.PlanStarted(var program, var plan) -> {
                JobSnapshot next = with(report.submits(plan));
                yield next.report.jobs().size() > 1
                        ? next.copy(program, state, begun, tasks)
                        : next;
            }
            case JobEvent.PlanEnded(var plan) -> with(report.ends(plan));
            case JobEvent.Printed _, JobEvent.Exiting _, JobEvent.Alive _ -> this;
            case JobEvent.Ended ended ->
                    new JobSnapshot(
                            id,
                            name,
                            submission,
                            ended.state(),
                            ended.code(),
                            ended.why(),
                            submitted,
                            begun,
                            begun == null ? Duration.ZERO : Duration.between(begun, now),
                            parts,
                            part,
                            round,
                            stages,
                            tasks,
                            totals,
                            ended.spilledBytes(),
                            ended.cost(),
                            ended.counters(),
                            report.exits(ended.exitStatus()));
        };
    }

    private static TaskImage moved(
            TaskImage task, int subtask, TaskState to, @Nullable String why) {
        return subtask < task.subtasks().size() ? task.moved(subtask, to, why) : task;
    }

    private JobSnapshot change(int id, UnaryOperator<TaskImage> change) {
        List<TaskImage> next = new ArrayList<>(tasks);
        next.replaceAll(task -> task.task().id() == id ? change.apply(task) : task);
        return copy(name, state, begun, next);
    }

    private JobSnapshot copy(
            String newName,
            JobState newState,
            @Nullable Instant newBegun,
            List<TaskImage> newTasks) {
        return new JobSnapshot(
                id,
                newName,
                submission,
                newState,
                code,
                failure,
                submitted,
                newBegun,
                elapsed,
                parts,
                part,
                round,
                stages,
                newTasks,
                totals,
                spilledBytes,
                cost,
                counters,
                report);
    }

    /** With another name, unless its plan has given it one. */
    JobSnapshot named(String program) {
        return parts > 0 ? this : copy(program, state, begun, tasks);
    }

    private JobSnapshot with(RunReport newReport) {
        return new JobSnapshot(
                id,
                name,
                submission,
                state,
                code,
                failure,
                submitted,
                begun,
                elapsed,
                parts,
                part,
                round,
                stages,
                tasks,
                totals,
                spilledBytes,
                cost,
                counters,
                newReport);
    }

    /** What its tasks have done so far: of the job graph that runs, or ran last. */
    public JobProfile profile() {
        return new JobProfile(tasks.stream().map(TaskImage::profile).toList());
    }

    /** What is remembered of it when it has ended. */
    JobRecord record() {
        Instant from = begun == null ? submitted : begun;
        return new JobRecord(
                id,
                name,
                state,
                from,
                elapsed == null ? Duration.ZERO : elapsed,
                failure,
                totals.plus(tasks).records(),
                cost,
                counters,
                submission.resumes(),
                report.attempts());
    }

    /** All of it; {@code brief} leaves the tasks out. */
    public JsonObject json(boolean brief) {
        JsonObject json = new JsonObject();
        json.addProperty("id", id);
        json.addProperty("name", name);
        json.addProperty("state", state.name());
        EventJson.add(json, "code", code == null ? null : code.name());
        EventJson.add(json, "failure", failure);
        submission.addTo(json);
        json.addProperty("submitted", submitted.toString());
        EventJson.add(json, "begun", begun == null ? null : begun.toString());
        if (elapsed != null) {
            json.addProperty("elapsedMillis", elapsed.toMillis());
        }
        json.addProperty("parts", parts);
        json.addProperty("part", part);
        json.addProperty("round", round);
        json.addProperty("stages", stages);
        json.addProperty("spilledBytes", spilledBytes);
        CloudJson.add(json, cost);
        CountersJson.add(json, counters);
        report.addTo(json);
        if (!brief) {
            JsonArray all = new JsonArray();
            tasks.forEach(task -> all.add(task.json()));
            json.add("tasks", all);
        }
        return json;
    }
}
