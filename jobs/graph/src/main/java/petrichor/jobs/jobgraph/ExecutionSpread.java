package petrichor.jobs.jobgraph;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import petrichor.base.PetrichorException;

/** Expands a (checked) job graph into the first image of its execution. */
final class ExecutionSpread {
    private final JobGraph job;
    private final Map<Integer, Integer> stages;

    ExecutionSpread(JobGraph job) {
        this.job = job;
        this.stages =
                Stages.of(job)
                        .orElseThrow(
                                () ->
                                        PetrichorException.invalid(
                                                "the job's stages contradict each other"));
    }

    ExecutionGraph graph() {
        var groups = job.inOrder().stream().map(this::group).toList();
        var channels = channels();
        var instances = InstanceSharing.of(job, channels);
        var subtasks = new TreeMap<SubtaskId, ExecutionVertex>();
        for (var instance : instances) {
            for (var id : instance.subtasks()) {
                subtasks.put(
                        id,
                        new ExecutionVertex(
                                id,
                                instance.number(),
                                TaskState.CREATED,
                                1,
                                null,
                                SubtaskMetrics.NONE));
            }
        }
        return new ExecutionGraph(
                job,
                JobState.CREATED,
                stageList(groups),
                groups,
                Collections.unmodifiableSortedMap(subtasks),
                instances,
                channels,
                List.of(),
                null);
    }

    private GroupVertex group(JobVertex vertex) {
        return new GroupVertex(vertex, stages.getOrDefault(vertex.id(), 0), subtasks(vertex));
    }

    static List<SubtaskId> subtasks(JobVertex vertex) {
        return IntStream.range(0, vertex.parallelism())
                .mapToObj(i -> new SubtaskId(vertex.id(), i))
                .toList();
    }

    private static List<ExecutionStage> stageList(List<GroupVertex> groups) {
        int last = groups.stream().mapToInt(GroupVertex::stage).max().orElse(0);
        return IntStream.rangeClosed(0, last)
                .mapToObj(
                        number ->
                                new ExecutionStage(
                                        number,
                                        groups.stream()
                                                .filter(group -> group.stage() == number)
                                                .map(group -> group.vertex().id())
                                                .toList()))
                .toList();
    }

    private List<ExecutionChannel> channels() {
        var channels = new ArrayList<ExecutionChannel>();
        for (int index = 0; index < job.edges().size(); index++) {
            var edge = job.edges().get(index);
            for (var from : subtasks(job.vertex(edge.from()))) {
                for (var to : subtasks(job.vertex(edge.to()))) {
                    if (connects(edge.shipping(), from, to)) {
                        channels.add(new ExecutionChannel(index, from, to, edge.channel()));
                    }
                }
            }
        }
        return List.copyOf(channels);
    }

    /** Whether a record may have to be sent from one subtask to the other. */
    private static boolean connects(Shipping shipping, SubtaskId from, SubtaskId to) {
        return switch (shipping) {
            case Shipping.Forward() -> from.subtask() == to.subtask();
            case Shipping.Rebalance(),
                    Shipping.HashPartition _,
                    Shipping.RangePartition _,
                    Shipping.Broadcast(),
                    Shipping.FragmentAndReplicate _ ->
                    true;
        };
    }
}
