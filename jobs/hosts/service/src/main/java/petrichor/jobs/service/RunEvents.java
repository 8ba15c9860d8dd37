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
import petrichor.jobs.jobgraph.SourceFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskSignature;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.local.RunWatcher;
import petrichor.jobs.pact.compiler.Explanation;
import petrichor.jobs.tuning.ProfiledTasks;

/** What is told of a plan that runs in this process, as events. */
final class RunEvents implements RunWatcher {
    private final String plan;
    private final Consumer<JobEvent> to;
    private int part;
    private int round;
    private @Nullable ExecutionGraph graph;

    RunEvents(String plan, Consumer<JobEvent> to) {
        this.plan = plan;
        this.to = to;
    }

    @Override
    public void compiled(List<Explanation> parts) {
        to.accept(new JobEvent.Compiled(plan, parts.stream().map(RunEvents::part).toList()));
    }

    static JobEvent.PlanPart part(Explanation explanation) {
        return new JobEvent.PlanPart(explanation.text(), explanation.json(), explanation.drawing());
    }

    @Override
    public synchronized void enters(int newPart, int newRound) {
        part = newPart;
        round = newRound;
    }

    @Override
    public synchronized void began(ExecutionGraph image) {
        graph = image;
        Map<Integer, TaskSignature> signatures = TaskSignature.of(image.job());
        to.accept(
                new JobEvent.Began(
                        part,
                        round,
                        image.stages().size(),
                        image.groups().stream()
                                .map(group -> task(image, group, signatures))
                                .toList()));
    }

    private static JobEvent.Task task(
            ExecutionGraph image, GroupVertex group, Map<Integer, TaskSignature> signatures) {
        JobVertex vertex = group.vertex();
        return new JobEvent.Task(
                vertex.id(),
                vertex.name(),
                vertex.operation().getClass().getSimpleName(),
                group.stage(),
                vertex.parallelism(),
                signatures.getOrDefault(vertex.id(), new TaskSignature("none")).digits(),
                image.job().incoming(vertex.id()).stream().map(JobEdge::from).distinct().toList(),
                vertex.annotations().contracts(),
                ProfiledTasks.isGrowable(vertex),
                vertex.operation() instanceof Operation.Read(var source)
                        ? source.inputBytes()
                        : SourceFigures.NOT_KNOWN);
    }

    @Override
    public void changed(ExecutionDelta delta) {
        switch (delta) {
            case ExecutionDelta.SubtaskMoved(var subtask, var moved, var why) ->
                    to.accept(new JobEvent.SubtaskMoved(subtask, moved, why));
            case ExecutionDelta.SubtasksMeasured(var figures) ->
                    to.accept(new JobEvent.Measured(figures));
            case ExecutionDelta.TaskScaled(var scaling, var joined) ->
                    to.accept(new JobEvent.Scaled(scaling, joined));
            case ExecutionDelta.SubtaskRetried(var subtask) -> again(subtask);
            case ExecutionDelta.StageRestarted(var stage, _, var why) -> {
                stageAgain(stage);
                to.accept(new JobEvent.Restarted(stage, why));
            }
            // A job graph is a part of a job: whoever runs the job tells how that goes.
            case ExecutionDelta.JobMoved _, ExecutionDelta.InstancePlaced _ -> {}
        }
    }

    private synchronized void stageAgain(int stage) {
        if (graph != null) {
            graph.subtasksOf(stage).forEach(vertex -> again(vertex.id()));
        }
    }

    private void again(SubtaskId subtask) {
        to.accept(new JobEvent.SubtaskMoved(subtask, TaskState.CREATED, null));
    }
}
