package petrichor.jobs.tuning;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.ExecutionVertex;
import petrichor.jobs.jobgraph.GroupVertex;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskSignature;

/** Profiles of the tasks of a job in execution. Stateless. */
public final class ProfiledTasks {
    private ProfiledTasks() {}

    static List<TaskProfile> of(ExecutionGraph image) {
        Map<Integer, TaskSignature> signatures = TaskSignature.of(image.job());
        List<TaskProfile> tasks = new ArrayList<>();
        for (GroupVertex group : image.groups()) {
            JobVertex vertex = group.vertex();
            List<SubtaskMetrics> metrics =
                    image.subtasks().values().stream()
                            .filter(each -> each.id().vertex() == vertex.id())
                            .map(ExecutionVertex::metrics)
                            .toList();
            TaskSignature signature = signatures.get(vertex.id());
            tasks.add(
                    new TaskProfile(
                            vertex.id(),
                            vertex.name(),
                            group.stage(),
                            vertex.operation() instanceof Operation.Read,
                            isGrowable(vertex),
                            inputs(image, vertex),
                            keys(vertex, signature),
                            metrics));
        }
        return tasks;
    }

    /** A task is identified by its contracts in the plan; without a plan by its signature. */
    private static List<String> keys(JobVertex vertex, @Nullable TaskSignature signature) {
        List<String> contracts = vertex.annotations().contracts();
        return contracts.isEmpty() && signature != null ? List.of(signature.digits()) : contracts;
    }

    private static List<Integer> inputs(ExecutionGraph image, JobVertex vertex) {
        return image.job().incoming(vertex.id()).stream().map(JobEdge::from).distinct().toList();
    }

    /** Whether it may run at any parallelism: a single result for all records needs one subtask. */
    public static boolean isGrowable(JobVertex vertex) {
        boolean counts = vertex.chain().stream().anyMatch(step -> step instanceof Step.First);
        return !counts
                && switch (vertex.operation()) {
                    case Operation.HashAggregate(var aggregation, var _, var _) ->
                            !aggregation.keys().isEmpty();
                    case Operation.SortedAggregate(var aggregation, var _, var _) ->
                            !aggregation.keys().isEmpty();
                    case Operation.Read _,
                            Operation.Write _,
                            Operation.Relay _,
                            Operation.SortedReduce _,
                            Operation.MergeJoin _,
                            Operation.HashJoin _,
                            Operation.Cross _,
                            Operation.CoGroup _ ->
                            true;
                };
    }
}
