package petrichor.jobs.jobgraph;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.RecordType;

/**
 * Validates a job graph, and reports all errors in words for the author of the job. Runs on
 * submission, before a thread or a file of the job exists.
 */
final class JobGraphCheck {
    private final JobGraph graph;
    private final List<String> problems = new ArrayList<>();

    private JobGraphCheck(JobGraph graph) {
        this.graph = graph;
    }

    static List<String> problems(JobGraph graph) {
        var check = new JobGraphCheck(graph);
        check.run();
        return List.copyOf(check.problems);
    }

    private void run() {
        if (graph.vertices().isEmpty()) {
            problems.add("it has no task: add a source and a sink");
            return;
        }
        // The following checks look vertices up by id.
        if (!idsAreSound()) {
            return;
        }
        if (cycleFound()) {
            return;
        }
        for (var vertex : graph.vertices()) {
            checkWiring(vertex);
            checkSharing(vertex);
        }
        if (!problems.isEmpty()) {
            return;
        }
        graph.vertices().forEach(this::checkTypes);
        graph.edges().forEach(this::checkEdge);
        if (Stages.of(graph).isEmpty()) {
            problems.add(
                    "its file channels contradict its other channels: a task would have to run both"
                        + " after and at the same time as another; make all channels between the"
                        + " two files");
        }
    }

    private boolean idsAreSound() {
        var ids = new HashSet<Integer>();
        for (var vertex : graph.vertices()) {
            if (!ids.add(vertex.id())) {
                problems.add("two tasks have the id " + vertex.id());
            }
        }
        var ways = new HashSet<List<Integer>>();
        for (var edge : graph.edges()) {
            if (!ids.contains(edge.from()) || !ids.contains(edge.to())) {
                problems.add(
                        "an edge connects "
                                + edge.from()
                                + " to "
                                + edge.to()
                                + ", but one of them does not exist");
            }
            if (!ways.add(List.of(edge.from(), edge.to(), edge.input()))) {
                problems.add(
                        "two edges connect "
                                + edge.from()
                                + " to input "
                                + edge.input()
                                + " of "
                                + edge.to()
                                + ": insert a relay task into one of them");
            }
        }
        return problems.isEmpty();
    }

    private boolean cycleFound() {
        var ordered = graph.inOrder();
        if (ordered.size() == graph.vertices().size()) {
            return false;
        }
        var onCycle =
                graph.vertices().stream()
                        .filter(vertex -> !ordered.contains(vertex))
                        .map(JobVertex::name)
                        .collect(Collectors.joining("\", \""));
        problems.add(
                "its tasks form a cycle, found among \""
                        + onCycle
                        + "\": records may only flow forward; write a loop as an iteration");
        return true;
    }

    private void checkWiring(JobVertex vertex) {
        int needed = vertex.operation().inputs();
        if (vertex.inputs().size() != needed) {
            problem(
                    vertex,
                    "describes " + vertex.inputs().size() + " inputs, its operation has " + needed);
        }
        for (int input = 0; input < needed; input++) {
            if (graph.incoming(vertex.id(), input).isEmpty()) {
                problem(vertex, "has no edge to input " + input + ": connect one");
            }
        }
        for (var edge : graph.incoming(vertex.id())) {
            if (edge.input() >= needed) {
                problem(vertex, "has no input " + edge.input());
            }
        }
        boolean sink = vertex.operation() instanceof Operation.Write;
        boolean leaves = !graph.outgoing(vertex.id()).isEmpty();
        if (sink && leaves) {
            problem(vertex, "is a sink; nothing can be read from it");
        }
        if (sink && !vertex.chain().isEmpty()) {
            problem(vertex, "is a sink; no step can follow it");
        }
        if (!sink && !leaves) {
            problem(vertex, "emits records that no task reads: add a sink or remove it");
        }
    }

    private void checkSharing(JobVertex vertex) {
        var other = vertex.annotations().sharesInstanceWith();
        if (other != null && graph.vertices().stream().noneMatch(v -> v.id() == other)) {
            problem(vertex, "shares instances with vertex " + other + ", which does not exist");
        }
    }

    private void checkTypes(JobVertex vertex) {
        var inputs = vertex.inputs().stream().map(TaskInput::type).toList();
        for (int input = 0; input < inputs.size(); input++) {
            checkOrder(vertex, input);
        }
        if (!new KeyCheck(what -> problem(vertex, what)).check(vertex.operation(), inputs)) {
            return;
        }
        var emitted = vertex.operation().output(inputs);
        if (vertex.operation() instanceof Operation.Write(var sink)) {
            checkSink(vertex, sink, inputs.getFirst());
        } else if (emitted != null) {
            checkChain(vertex, emitted);
        }
    }

    private void checkOrder(JobVertex vertex, int input) {
        var type = vertex.inputType(input);
        var keys = new KeyCheck(what -> problem(vertex, what));
        switch (vertex.inputs().get(input).order()) {
            case InputOrder.Sorted(var key) -> keys.fits(key, type, "sorts input " + input);
            case InputOrder.Merged(var key) -> keys.fits(key, type, "merges input " + input);
            case InputOrder.AsTheyCome(), InputOrder.Buffered() -> {}
        }
    }

    private void checkSink(JobVertex vertex, Sink sink, RecordType type) {
        try {
            sink.check(type);
        } catch (PetrichorException refused) {
            problem(vertex, "cannot take " + type + ": " + refused.getMessage());
        }
    }

    private void checkChain(JobVertex vertex, RecordType emitted) {
        var type = emitted;
        var keys = new KeyCheck(what -> problem(vertex, what));
        for (var step : vertex.chain()) {
            if (!keys.check(step, type)) {
                return;
            }
            type = step.output(type);
        }
        var declared = vertex.output();
        if (declared == null || !type.equals(declared)) {
            problem(vertex, "is declared to emit " + declared + ", but emits " + type);
        }
    }

    private void checkEdge(JobEdge edge) {
        var from = graph.vertex(edge.from());
        var to = graph.vertex(edge.to());
        var type = from.outputType();
        var expected = to.inputType(edge.input());
        if (!type.equals(expected)) {
            problem(
                    to,
                    "expects "
                            + expected
                            + " on input "
                            + edge.input()
                            + ", but \""
                            + from.name()
                            + "\" emits "
                            + type);
            return;
        }
        var keys = new KeyCheck(what -> problem(from, what));
        switch (edge.shipping()) {
            case Shipping.Forward() -> {
                if (from.parallelism() != to.parallelism()) {
                    problem(
                            to,
                            "has "
                                    + to.parallelism()
                                    + " subtasks and cannot be connected one-to-one with the "
                                    + from.parallelism()
                                    + " of \""
                                    + from.name()
                                    + "\": use another shipping strategy");
                }
            }
            case Shipping.HashPartition(var key) -> keys.fits(key, type, "partitions its output");
            case Shipping.RangePartition(var key, var bounds) -> {
                keys.fits(key, type, "partitions its output");
                checkBounds(to, bounds);
            }
            case Shipping.FragmentAndReplicate grid -> checkGrid(to, edge.input(), grid);
            case Shipping.Rebalance(), Shipping.Broadcast() -> {}
        }
    }

    private void checkBounds(JobVertex to, RangeBounds bounds) {
        if (bounds instanceof RangeBounds.Given(var cuts) && cuts.size() != to.parallelism() - 1) {
            problem(
                    to,
                    "has "
                            + to.parallelism()
                            + " subtasks; their ranges need "
                            + (to.parallelism() - 1)
                            + " cuts, not "
                            + cuts.size());
        }
    }

    private void checkGrid(JobVertex to, int input, Shipping.FragmentAndReplicate grid) {
        if (grid.subtasks() != to.parallelism()) {
            problem(
                    to,
                    "has "
                            + to.parallelism()
                            + " subtasks, which do not form a grid of "
                            + grid.rows()
                            + " x "
                            + grid.columns());
        }
        if (grid.side().input() != input) {
            problem(
                    to,
                    "receives on input "
                            + input
                            + " records shipped as input "
                            + grid.side().input());
        }
    }

    private void problem(JobVertex vertex, @Nullable String what) {
        problems.add("\"" + vertex.name() + "\" " + what);
    }
}
