package petrichor.jobs.jobgraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.jobs.jobgraph.Graphs.OTHER;
import static petrichor.jobs.jobgraph.Graphs.WORDS;
import static petrichor.jobs.jobgraph.Graphs.edge;
import static petrichor.jobs.jobgraph.Graphs.line;
import static petrichor.jobs.jobgraph.Graphs.relay;
import static petrichor.jobs.jobgraph.Graphs.sink;
import static petrichor.jobs.jobgraph.Graphs.source;

import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Key;

final class JobGraphTest {
    private static final Shipping EVENLY = new Shipping.Rebalance();

    @Test
    void aValidGraphPasses() {
        var graph = line(ChannelType.NETWORK, ChannelType.FILE);
        assertThat(graph.checked()).isSameAs(graph);
        assertThat(graph.inOrder()).extracting(JobVertex::id).containsExactly(1, 2, 3);
    }

    @Test
    void anEmptyGraphIsRefused() {
        assertRefused(new JobGraph("void", List.of(), List.of()), "no task");
    }

    @Test
    void aCycleIsRefusedAndItsTasksAreNamed() {
        var graph =
                new JobGraph(
                        "loop",
                        List.of(source(1, 1), relay(2, 1), relay(3, 1), sink(4, 1)),
                        List.of(
                                edge(1, 2, EVENLY),
                                edge(2, 3, EVENLY),
                                edge(3, 2, EVENLY),
                                edge(3, 4, EVENLY)));
        assertRefused(graph, "cycle", "relay 2", "relay 3", "iteration");
    }

    @Test
    void aTaskWithoutInputIsRefused() {
        var graph =
                new JobGraph("cut", List.of(relay(1, 1), sink(2, 1)), List.of(edge(1, 2, EVENLY)));
        assertRefused(graph, "\"relay 1\" has no edge to input 0");
    }

    @Test
    void aTaskWithUnusedOutputIsRefused() {
        var graph =
                new JobGraph(
                        "end", List.of(source(1, 1), relay(2, 1)), List.of(edge(1, 2, EVENLY)));
        assertRefused(graph, "\"relay 2\" emits records that no task reads", "add a sink");
    }

    @Test
    void aSinkIsTheEnd() {
        var graph =
                new JobGraph(
                        "more",
                        List.of(source(1, 1), sink(2, 1), sink(3, 1)),
                        List.of(edge(1, 2, EVENLY), edge(2, 3, EVENLY)));
        assertRefused(graph, "\"sink 2\" is a sink");
    }

    @Test
    void anInputThatTheOperationDoesNotHaveIsRefused() {
        var graph =
                new JobGraph(
                        "second",
                        List.of(source(1, 1), sink(2, 1)),
                        List.of(
                                edge(1, 2, EVENLY),
                                new JobEdge(1, 2, 1, EVENLY, ChannelType.NETWORK)));
        assertRefused(graph, "\"sink 2\" has no input 1");
    }

    @Test
    void twoTasksWithOneIdAndEdgesIntoNothingAreRefused() {
        assertRefused(
                new JobGraph(
                        "twins", List.of(source(1, 1), source(1, 1)), List.of(edge(1, 7, EVENLY))),
                "two tasks have the id 1",
                "connects 1 to 7");
    }

    @Test
    void twoEdgesBetweenTheSameEndsAreRefused() {
        assertRefused(
                new JobGraph(
                        "double",
                        List.of(source(1, 1), sink(2, 1)),
                        List.of(edge(1, 2, EVENLY), edge(1, 2, new Shipping.Broadcast()))),
                "two edges connect 1 to input 0 of 2");
    }

    @Test
    void recordsOfAnotherTypeAreRefused() {
        var graph =
                new JobGraph(
                        "types",
                        List.of(source(1, 1, OTHER), sink(2, 1)),
                        List.of(edge(1, 2, EVENLY)));
        assertRefused(graph, "\"sink 2\" expects " + WORDS, "emits " + OTHER);
    }

    @Test
    void aSinkRefusesUnsupportedRecordsBeforeTheJobRuns() {
        var picky =
                new JobVertex(
                        2,
                        "picky",
                        new Operation.Write(new Graphs.VoidSink(OTHER)),
                        List.of(TaskInput.of(WORDS)),
                        List.of(),
                        null,
                        Annotations.parallel(1));
        assertRefused(
                new JobGraph("sink", List.of(source(1, 1), picky), List.of(edge(1, 2, EVENLY))),
                "\"picky\" cannot take",
                "goes nowhere");
    }

    @Test
    void anUnknownKeyFieldIsRefusedEverywhere() {
        var sorted =
                new JobVertex(
                        2,
                        "sorter",
                        new Operation.Relay(),
                        List.of(new TaskInput(WORDS, new InputOrder.Sorted(Key.of(5)))),
                        List.of(
                                new Step.CombineGroups(
                                        "combiner", Key.of(6), Key.of(6), (group, out) -> {})),
                        WORDS,
                        Annotations.parallel(1));
        var graph =
                new JobGraph(
                        "keys",
                        List.of(source(1, 1), sorted, sink(3, 1)),
                        List.of(
                                edge(1, 2, new Shipping.HashPartition(Key.of(4))),
                                edge(2, 3, EVENLY)));
        assertRefused(
                graph,
                "\"source 1\" partitions its output by field 4",
                "\"sorter\" sorts input 0 by field 5",
                "\"sorter\" combines by field 6");
    }

    @Test
    void keysThatMeetMustHaveTheSameType() {
        var join =
                new JobVertex(
                        3,
                        "join",
                        new Operation.MergeJoin(Key.of(0), Key.of(1), (a, b, out) -> {}, WORDS),
                        List.of(TaskInput.of(WORDS), TaskInput.of(WORDS)),
                        List.of(),
                        WORDS,
                        Annotations.parallel(1));
        var graph =
                new JobGraph(
                        "join",
                        List.of(source(1, 1), source(2, 1), join, sink(4, 1)),
                        List.of(
                                edge(1, 3, EVENLY),
                                new JobEdge(2, 3, 1, EVENLY, ChannelType.NETWORK),
                                edge(3, 4, EVENLY)));
        assertRefused(graph, "joins word TEXT with times INT64");
    }

    @Test
    void aChainMustEndInTheTypeThatTheTaskDeclares() {
        var wrong =
                new JobVertex(
                        2,
                        "mapper",
                        new Operation.Relay(),
                        List.of(TaskInput.of(WORDS)),
                        List.of(new Step.Map("to id", (in, out) -> {}, OTHER)),
                        WORDS,
                        Annotations.parallel(1));
        assertRefused(
                new JobGraph(
                        "chain",
                        List.of(source(1, 1), wrong, sink(3, 1)),
                        List.of(edge(1, 2, EVENLY), edge(2, 3, EVENLY))),
                "\"mapper\" is declared to emit " + WORDS + ", but emits " + OTHER);
    }

    @Test
    void aggregatesMustFitTheirFields() {
        var aggregation = Aggregation.by(List.of(0), Aggregate.sum(0));
        var wrong =
                new JobVertex(
                        2,
                        "sum",
                        new Operation.HashAggregate(aggregation, Aggregation.Step.WHOLE, WORDS),
                        List.of(TaskInput.of(WORDS)),
                        List.of(),
                        WORDS,
                        Annotations.parallel(1));
        assertRefused(
                new JobGraph(
                        "figures",
                        List.of(source(1, 1), wrong, sink(3, 1)),
                        List.of(edge(1, 2, EVENLY), edge(2, 3, EVENLY))),
                "\"sum\" cannot aggregate",
                "needs a number");
    }

    @Test
    void partialAggregatesReadPartialRecords() {
        var aggregation = Aggregation.by(List.of(0), Aggregate.average(1));
        var wrong =
                new JobVertex(
                        2,
                        "average",
                        new Operation.HashAggregate(aggregation, Aggregation.Step.FINAL, WORDS),
                        List.of(TaskInput.of(WORDS)),
                        List.of(),
                        aggregation.resultType(WORDS),
                        Annotations.parallel(1));
        assertRefused(
                new JobGraph(
                        "partial",
                        List.of(source(1, 1), wrong, sink(3, 1)),
                        List.of(edge(1, 2, EVENLY), edge(2, 3, EVENLY))),
                "\"average\" aggregates (word TEXT, average times FLOAT64, average times of INT64),"
                        + " but its input is "
                        + WORDS);
    }

    @Test
    void forwardNeedsAsManySubtasksOnBothSides() {
        assertRefused(
                new JobGraph(
                        "forward",
                        List.of(source(1, 2), sink(2, 3)),
                        List.of(edge(1, 2, new Shipping.Forward()))),
                "\"sink 2\" has 3 subtasks and cannot be connected one-to-one with the 2");
    }

    @Test
    void aGridMustCoverTheSubtasks() {
        assertRefused(
                new JobGraph(
                        "grid",
                        List.of(source(1, 2), sink(2, 3)),
                        List.of(edge(1, 2, new Shipping.FragmentAndReplicate(2, 2, Side.SECOND)))),
                "do not form a grid of 2 x 2",
                "receives on input 0 records shipped as input 1");
    }

    @Test
    void splittersMustBeOneFewerThanSubtasks() {
        var bounds = new RangeBounds.Given(List.of(new byte[0], new byte[0]));
        assertRefused(
                new JobGraph(
                        "cuts",
                        List.of(source(1, 2), sink(2, 2)),
                        List.of(edge(1, 2, new Shipping.RangePartition(Key.of(0), bounds)))),
                "their ranges need 1 cuts, not 2");
    }

    @Test
    void aFileBesideAPipelineBetweenTheSameTasksIsRefused() {
        var graph =
                new JobGraph(
                        "diamond",
                        List.of(source(1, 1), relay(2, 1), relay(3, 1), sink(4, 1)),
                        List.of(
                                edge(1, 2, ChannelType.NETWORK),
                                edge(1, 3, ChannelType.FILE),
                                edge(2, 3, ChannelType.NETWORK),
                                edge(3, 4, ChannelType.NETWORK)));
        assertRefused(graph, "file channels contradict");
    }

    @Test
    void sharingWithATaskThatDoesNotExistIsRefused() {
        var lonely =
                new JobVertex(
                        1,
                        "lonely",
                        new Operation.Read(new Graphs.EmptySource(WORDS)),
                        List.of(),
                        List.of(),
                        WORDS,
                        Annotations.parallel(1).sharingInstancesWith(9));
        assertRefused(
                new JobGraph("share", List.of(lonely, sink(2, 1)), List.of(edge(1, 2, EVENLY))),
                "\"lonely\" shares instances with vertex 9");
    }

    @Test
    void anInvalidParallelismIsRefusedAtOnce() {
        assertThatThrownBy(() -> Annotations.parallel(0))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("parallelism is 0");
    }

    private static void assertRefused(JobGraph graph, String... texts) {
        assertThatThrownBy(graph::checked)
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("the job \"" + graph.name() + "\" cannot run")
                .hasMessageContainingAll(texts);
    }
}
