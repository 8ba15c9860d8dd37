package petrichor.jobs.engine.assembly;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.jobs.jobgraph.ExecutionStage;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.TaskInput;

/**
 * Divides a job's memory: the tasks of a stage run concurrently and share it, by weight and by
 * their number of sorts, tables and buffers. Immutable.
 */
public final class MemoryPlan {
    private final Map<Integer, Long> shares = new HashMap<>();

    MemoryPlan(JobGraph graph, List<ExecutionStage> stages, long bytes) {
        for (ExecutionStage stage : stages) {
            long parts = 0;
            for (int id : stage.vertices()) {
                JobVertex vertex = graph.vertex(id);
                parts += (long) consumers(vertex) * weight(vertex) * vertex.parallelism();
            }
            for (int id : stage.vertices()) {
                JobVertex vertex = graph.vertex(id);
                shares.put(id, parts == 0 ? 0 : bytes / parts * weight(vertex));
            }
        }
    }

    /**
     * The memory of a stage, given the memory of one subtask of each of its tasks: the tasks that
     * share a task slot of another runtime.
     */
    public static long ofWholeStage(JobGraph graph, ExecutionStage stage, long slotBytes) {
        long parts = 0;
        long partsOfSlot = 0;
        for (int id : stage.vertices()) {
            JobVertex vertex = graph.vertex(id);
            long ofSubtask = (long) consumers(vertex) * weight(vertex);
            parts += ofSubtask * vertex.parallelism();
            partsOfSlot += ofSubtask;
        }
        return partsOfSlot == 0 ? slotBytes : slotBytes / partsOfSlot * parts;
    }

    /** Share of each sort, table or buffer of each subtask of this task. */
    long shareBytes(JobVertex vertex) {
        return shares.getOrDefault(vertex.id(), 0L);
    }

    private static int weight(JobVertex vertex) {
        return Math.max(1, vertex.annotations().managedMemoryWeight());
    }

    private static int consumers(JobVertex vertex) {
        int count = ofOperation(vertex.operation());
        for (TaskInput input : vertex.inputs()) {
            count += input.order() instanceof InputOrder.Sorted ? 1 : 0;
        }
        for (Step step : vertex.chain()) {
            count +=
                    switch (step) {
                        case Step.Combine _, Step.CombineGroups _ -> 1;
                        case Step.Map _, Step.First _ -> 0;
                    };
        }
        return count;
    }

    private static int ofOperation(Operation operation) {
        return switch (operation) {
            case Operation.Read _,
                    Operation.Write _,
                    Operation.Relay _,
                    Operation.SortedReduce _,
                    Operation.SortedAggregate _,
                    Operation.CoGroup _ ->
                    0;
            case Operation.HashAggregate _, Operation.MergeJoin _, Operation.HashJoin _ -> 1;
            case Operation.Cross cross -> cross.blocked() ? 2 : 1;
        };
    }
}
