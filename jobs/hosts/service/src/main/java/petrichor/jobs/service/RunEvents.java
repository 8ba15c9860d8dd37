package petrichor.jobs.service;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.GroupVertex;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskSignature;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.local.RunWatcher;
import petrichor.jobs.pact.compiler.Explanation;
import petrichor.jobs.tuning.ProfiledTasks;

/** Reports the progress of a plan that runs in this process as events. */
final class RunEvents implements RunWatcher {
    private final String plan;
    private final Consumer<Progress.Event> to;
    private int part;
    private int round;
    private @Nullable ExecutionGraph graph;

    RunEvents(String plan, Consumer<Progress.Event> to) {
        this.plan = plan;
        this.to = to;
    }

    @Override
    public void compiled(List<Explanation> parts) {
        to.accept(EventMessages.compiled(plan, parts.stream().map(RunEvents::part).toList()));
    }

    static Progress.PlanPart part(Explanation explanation) {
        return Progress.PlanPart.newBuilder()
                .setText(explanation.text())
                .setJson(explanation.json())
                .setDrawing(explanation.drawing())
                .build();
    }

    @Override
    public synchronized void enters(int newPart, int newRound) {
        part = newPart;
        round = newRound;
    }

    @Override
    public synchronized void began(ExecutionGraph execution) {
        graph = execution;
        Map<Integer, TaskSignature> signatures = TaskSignature.of(execution.job());
        to.accept(
                EventMessages.began(
                        part,
                        round,
                        execution.stages().size(),
                        execution.groups().stream()
                                .map(group -> task(execution, group, signatures))
                                .toList()));
    }

    private static Progress.Task task(
            ExecutionGraph execution, GroupVertex group, Map<Integer, TaskSignature> signatures) {
        JobVertex vertex = group.vertex();
        Progress.Task.Builder task =
                Progress.Task.newBuilder()
                        .setId(vertex.id())
                        .setName(vertex.name())
                        .setOperation(vertex.operation().getClass().getSimpleName())
                        .setStage(group.stage())
                        .setParallelism(vertex.parallelism())
                        .setGrowable(ProfiledTasks.isGrowable(vertex))
                        .addAllContracts(vertex.annotations().contracts())
                        .setSourceBytes(
                                vertex.operation() instanceof Operation.Read(var source)
                                        ? source.inputBytes()
                                        : SourceEstimate.NOT_KNOWN)
                        .setSignature(
                                signatures
                                        .getOrDefault(vertex.id(), new TaskSignature("none"))
                                        .digits());
        execution.job().incoming(vertex.id()).stream()
                .map(JobEdge::from)
                .distinct()
                .forEach(task::addInputs);
        return task.build();
    }

    @Override
    public void changed(ExecutionDelta delta) {
        switch (delta) {
            case ExecutionDelta.SubtaskMoved(var subtask, var moved, var why) ->
                    to.accept(EventMessages.subtaskMoved(subtask, moved, why));
            case ExecutionDelta.SubtasksMeasured(var metrics) ->
                    to.accept(EventMessages.measured(metrics));
            case ExecutionDelta.TaskScaled(var scaling, var joined) ->
                    to.accept(EventMessages.scaled(scaling, joined));
            case ExecutionDelta.SubtaskRetried(var subtask) -> again(subtask);
            case ExecutionDelta.StageRestarted(var stage, _, var why) -> {
                stageAgain(stage);
                to.accept(EventMessages.restarted(stage, why));
            }
            // A job graph is a part of a job; the end of the job is reported by its caller.
            case ExecutionDelta.JobMoved _, ExecutionDelta.InstancePlaced _ -> {}
        }
    }

    private synchronized void stageAgain(int stage) {
        if (graph != null) {
            graph.subtasksOf(stage).forEach(vertex -> again(vertex.id()));
        }
    }

    private void again(SubtaskId subtask) {
        to.accept(EventMessages.subtaskMoved(subtask, TaskState.CREATED, null));
    }
}
