package petrichor.jobs.jobgraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.jobs.jobgraph.Graphs.edge;
import static petrichor.jobs.jobgraph.Graphs.line;
import static petrichor.jobs.jobgraph.Graphs.relay;
import static petrichor.jobs.jobgraph.Graphs.sink;
import static petrichor.jobs.jobgraph.Graphs.source;

import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

final class ExecutionGraphTest {
    private static final SubtaskId FIRST = new SubtaskId(1, 0);

    @Test
    void aFileSplitsTheJobIntoStages() {
        var graph = ExecutionGraph.of(line(ChannelType.NETWORK, ChannelType.FILE));
        assertThat(graph.stages())
                .containsExactly(
                        new ExecutionStage(0, List.of(1, 2)), new ExecutionStage(1, List.of(3)));
        assertThat(graph.group(2).subtasks())
                .containsExactly(new SubtaskId(2, 0), new SubtaskId(2, 1));
    }

    @Test
    void aTaskThatFeedsItsOwnAndALaterStageStaysInItsOwn() {
        var graph =
                ExecutionGraph.of(
                        new JobGraph(
                                "fork",
                                List.of(source(1, 1), sink(2, 1), relay(3, 1), sink(4, 1)),
                                List.of(
                                        edge(1, 2, ChannelType.NETWORK),
                                        edge(1, 3, ChannelType.FILE),
                                        edge(3, 4, ChannelType.FILE))));
        assertThat(graph.stages())
                .extracting(ExecutionStage::vertices)
                .containsExactly(List.of(1, 2), List.of(3), List.of(4));
    }

    @Test
    void forwardConnectsNeighboursAndTheRestConnectsAll() {
        var graph =
                ExecutionGraph.of(
                        new JobGraph(
                                "channels",
                                List.of(source(1, 3), relay(2, 3), sink(3, 2)),
                                List.of(
                                        edge(1, 2, new Shipping.Forward()),
                                        edge(2, 3, new Shipping.Broadcast()))));
        assertThat(graph.channels())
                .filteredOn(channel -> channel.edge() == 0)
                .hasSize(3)
                .allMatch(channel -> channel.from().subtask() == channel.to().subtask());
        assertThat(graph.channels()).filteredOn(channel -> channel.edge() == 1).hasSize(6);
    }

    @Test
    void byDefaultEverySubtaskHasAnInstanceOfItsOwn() {
        assertThat(ExecutionGraph.of(line(ChannelType.NETWORK, ChannelType.NETWORK)).instances())
                .hasSize(6);
    }

    @Test
    void memoryChannelsShareAnInstance() {
        var graph =
                ExecutionGraph.of(
                        new JobGraph(
                                "memory",
                                List.of(source(1, 2), relay(2, 2), sink(3, 2)),
                                List.of(
                                        new JobEdge(
                                                1,
                                                2,
                                                0,
                                                new Shipping.Forward(),
                                                ChannelType.IN_MEMORY),
                                        edge(2, 3, ChannelType.NETWORK))));
        assertThat(graph.instances()).hasSize(4);
        assertThat(graph.subtask(new SubtaskId(1, 1)).instance())
                .isEqualTo(graph.subtask(new SubtaskId(2, 1)).instance())
                .isNotEqualTo(graph.subtask(new SubtaskId(1, 0)).instance());
    }

    @Test
    void annotationsBringSubtasksTogether() {
        var packed =
                annotated(
                        source(1, 4),
                        Annotations.parallel(4).withSubtasksPerInstance(2).onInstances("m1.small"));
        var sharing = annotated(sink(2, 2), Annotations.parallel(2).sharingInstancesWith(1));
        var graph =
                ExecutionGraph.of(
                        new JobGraph(
                                "share",
                                List.of(packed, sharing),
                                List.of(edge(1, 2, ChannelType.NETWORK))));
        // 1/0, 1/1 and 2/0, 2/1 are together; 1/2 and 1/3 are.
        assertThat(graph.instances())
                .extracting(ExecutionInstance::subtasks)
                .containsExactly(
                        List.of(
                                new SubtaskId(1, 0),
                                new SubtaskId(1, 1),
                                new SubtaskId(2, 0),
                                new SubtaskId(2, 1)),
                        List.of(new SubtaskId(1, 2), new SubtaskId(1, 3)));
        assertThat(graph.instances()).allMatch(instance -> "m1.small".equals(instance.type()));
    }

    @Test
    void tasksThatShareAMachineMustAgreeOnItsType() {
        var small = annotated(source(1, 1), Annotations.parallel(1).onInstances("small"));
        var large =
                annotated(
                        sink(2, 1),
                        Annotations.parallel(1).onInstances("large").sharingInstancesWith(1));
        var job =
                new JobGraph(
                        "kinds", List.of(small, large), List.of(edge(1, 2, ChannelType.NETWORK)));
        assertThatThrownBy(() -> ExecutionGraph.of(job)).hasMessageContaining("[large, small]");
    }

    @Test
    void aJobRunsFromStartToEnd() {
        var graph = running(line(ChannelType.NETWORK, ChannelType.FILE));
        assertThat(graph.mayStart(1)).isFalse();
        graph = finish(graph, 0);
        assertThat(graph.mayStart(1)).isTrue();
        graph = finish(graph, 1).apply(new ExecutionDelta.JobMoved(JobState.FINISHED, null));
        assertThat(graph.state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void anImageDoesNotChange() {
        var before = ExecutionGraph.of(line(ChannelType.NETWORK, ChannelType.FILE));
        var after = before.apply(new ExecutionDelta.SubtaskMoved(FIRST, TaskState.SCHEDULED, null));
        assertThat(before.subtask(FIRST).state()).isEqualTo(TaskState.CREATED);
        assertThat(after.subtask(FIRST).state()).isEqualTo(TaskState.SCHEDULED);
    }

    @Test
    void aJobIsNotFinishedWhileASubtaskIsNot() {
        var graph = finish(running(line(ChannelType.NETWORK, ChannelType.FILE)), 0);
        refused(
                graph,
                new ExecutionDelta.JobMoved(JobState.FINISHED, null),
                "subtask 3/0 (CREATED)");
    }

    @Test
    void aJobHasNotFailedWhileASubtaskRuns() {
        var graph = running(line(ChannelType.NETWORK, ChannelType.NETWORK));
        graph = move(graph, FIRST, TaskState.SCHEDULED, TaskState.READY, TaskState.RUNNING);
        graph = graph.apply(new ExecutionDelta.JobMoved(JobState.FAILING, "the disk is full"));
        refused(graph, new ExecutionDelta.JobMoved(JobState.FAILED, null), "subtask 1/0 (RUNNING)");
        graph = move(graph, FIRST, TaskState.CANCELING, TaskState.CANCELED);
        graph =
                graph.apply(
                        new ExecutionDelta.JobMoved(JobState.FAILED, "something that followed"));
        assertThat(graph.failure()).isEqualTo("the disk is full");
    }

    @Test
    void aLaterStageIsNotScheduledBeforeTheEarlierHasFinished() {
        var graph = running(line(ChannelType.NETWORK, ChannelType.FILE));
        refused(
                graph,
                new ExecutionDelta.SubtaskMoved(new SubtaskId(3, 0), TaskState.SCHEDULED, null),
                "while an earlier stage runs");
    }

    @Test
    void aFailedStageRestartsAndCountsItsAttempts() {
        var graph = running(line(ChannelType.NETWORK, ChannelType.FILE));
        for (int attempt = 1; attempt < ExecutionGraph.ATTEMPTS_MAX; attempt++) {
            graph = failFirst(graph);
            graph = graph.apply(new ExecutionDelta.StageRestarted(0));
            assertThat(graph.subtask(FIRST).attempt()).isEqualTo(attempt + 1);
            assertThat(graph.subtask(FIRST).failure()).isEqualTo("no disk");
            assertThat(graph.subtasksOf(0)).allMatch(vertex -> vertex.state() == TaskState.CREATED);
        }
        refused(
                failFirst(graph),
                new ExecutionDelta.StageRestarted(0),
                "3 times and reached the limit; last failure: no disk");
    }

    @Test
    void aRestartWithoutFaultIsNotCounted() {
        var graph = running(line(ChannelType.NETWORK, ChannelType.FILE));
        for (int times = 0; times < 2 * ExecutionGraph.ATTEMPTS_MAX; times++) {
            graph = failFirst(graph).apply(new ExecutionDelta.StageRestarted(0, false));
            assertThat(graph.subtask(FIRST).attempt()).isEqualTo(1);
        }
    }

    @Test
    void aStageIsNotRestartedWhileOneOfItsSubtasksRuns() {
        var graph =
                move(
                        running(line(ChannelType.NETWORK, ChannelType.FILE)),
                        FIRST,
                        TaskState.SCHEDULED);
        refused(graph, new ExecutionDelta.StageRestarted(0), "subtask 1/0 is still SCHEDULED");
        refused(graph, new ExecutionDelta.StageRestarted(2), "no stage 2");
    }

    @Test
    void aSubtaskIsRepeatedAloneOnlyBetweenFiles() {
        var files = failFirst(running(line(ChannelType.FILE, ChannelType.FILE)));
        assertThat(files.apply(new ExecutionDelta.SubtaskRetried(FIRST)).subtask(FIRST).attempt())
                .isEqualTo(2);
        var pipeline = failFirst(running(line(ChannelType.NETWORK, ChannelType.FILE)));
        refused(pipeline, new ExecutionDelta.SubtaskRetried(FIRST), "restart stage 0");
    }

    @Test
    void aFinishedSubtaskIsNotRepeatedAlone() {
        var graph = finish(running(line(ChannelType.FILE, ChannelType.FILE)), 0);
        refused(graph, new ExecutionDelta.SubtaskRetried(FIRST), "it is FINISHED");
    }

    @Test
    void anInstanceBecomesAMachine() {
        var graph = ExecutionGraph.of(line(ChannelType.NETWORK, ChannelType.FILE));
        assertThat(
                        graph.apply(new ExecutionDelta.InstancePlaced(2, "worker 7"))
                                .instances()
                                .get(2)
                                .place())
                .isEqualTo("worker 7");
        refused(graph, new ExecutionDelta.InstancePlaced(99, "worker 7"), "no instance 99");
    }

    @Test
    void unknownIdsAreRefused() {
        var graph = ExecutionGraph.of(line(ChannelType.NETWORK, ChannelType.FILE));
        assertThatThrownBy(() -> graph.subtask(new SubtaskId(1, 2)))
                .hasMessageContaining("no subtask 1/2");
        assertThatThrownBy(() -> graph.group(12)).hasMessageContaining("no task 12");
    }

    static ExecutionGraph running(JobGraph job) {
        return ExecutionGraph.of(job)
                .apply(new ExecutionDelta.JobMoved(JobState.SCHEDULED, null))
                .apply(new ExecutionDelta.JobMoved(JobState.RUNNING, null));
    }

    private static ExecutionGraph failFirst(ExecutionGraph graph) {
        var moved = move(graph, FIRST, TaskState.SCHEDULED);
        return moved.apply(new ExecutionDelta.SubtaskMoved(FIRST, TaskState.FAILED, "no disk"));
    }

    private static ExecutionGraph finish(ExecutionGraph graph, int stage) {
        var moved = graph;
        for (var vertex : graph.subtasksOf(stage)) {
            moved =
                    move(
                            moved,
                            vertex.id(),
                            TaskState.SCHEDULED,
                            TaskState.READY,
                            TaskState.RUNNING,
                            TaskState.FINISHING,
                            TaskState.FINISHED);
        }
        return moved;
    }

    private static ExecutionGraph move(ExecutionGraph graph, SubtaskId id, TaskState... states) {
        var moved = graph;
        for (var state : states) {
            moved = moved.apply(new ExecutionDelta.SubtaskMoved(id, state, null));
        }
        return moved;
    }

    private static JobVertex annotated(JobVertex vertex, Annotations annotations) {
        return new JobVertex(
                vertex.id(),
                vertex.name(),
                vertex.operation(),
                vertex.inputs(),
                vertex.chain(),
                vertex.output(),
                annotations);
    }

    private static void refused(ExecutionGraph graph, ExecutionDelta delta, String text) {
        assertThatThrownBy(() -> graph.apply(delta))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(text)
                .extracting(failure -> ((PetrichorException) failure).code())
                .isEqualTo(ErrorCode.FAILED_PRECONDITION);
    }
}
