package petrichor.jobs.engine;

import petrichor.base.FileProblem;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.ExecutionStage;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Source;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Puts a job together: the gates in front of every subtask, the chains behind them, and who gets
 * how much memory. A task that only relays or writes what one other task forwards to it becomes a
 * part of that one's chain. Used by the job's own thread; figures may be read by all.
 */
final class JobAssembly implements AutoCloseable {
    /** A source is cut finer than there are subtasks, so that a slow one reads less. */
    private static final int SPLITS_PER_SUBTASK = 8;

    private final JobGraph graph;
    private final JobControl control;
    private final BlockPool pool = new BlockPool();
    private final SpillArea area;
    private final Fusion fusion;
    private final MemoryPlan memory;
    private final List<ExecutionStage> stages;
    private final Map<Integer, List<List<Gate>>> gates = new HashMap<>();
    private final Map<JobEdge, RangeSample> samples = new HashMap<>();
    private final Map<Integer, List<TaskFigures>> figures = new HashMap<>();

    JobAssembly(JobGraph graph, EngineOptions options, JobControl control) {
        this.graph = graph;
        this.control = control;
        this.area = new SpillArea(options.spillFolder(), options.spillBytesMax());
        this.fusion = new Fusion(graph);
        this.stages = ExecutionGraph.of(graph).stages();
        this.memory = new MemoryPlan(graph, stages, options.memoryBytes());
        for (JobVertex vertex : graph.vertices()) {
            List<TaskFigures> ofVertex = new ArrayList<>();
            for (int i = 0; i < vertex.parallelism(); i++) {
                ofVertex.add(new TaskFigures());
            }
            figures.put(vertex.id(), List.copyOf(ofVertex));
            gates.put(vertex.id(), gates(vertex));
        }
        for (JobEdge edge : graph.edges()) {
            if (edge.shipping() instanceof Shipping.RangePartition(var key, var bounds)
                    && bounds instanceof RangeBounds.Sampled) {
                JobVertex from = graph.vertex(edge.from());
                samples.put(
                        edge,
                        new RangeSample(
                                key,
                                from.outputType(),
                                from.parallelism(),
                                graph.vertex(edge.to()).parallelism()));
            }
        }
    }

    int stages() {
        return stages.size();
    }

    long spilledBytes() {
        return area.written();
    }

    Map<String, List<TaskFigures>> figures() {
        Map<String, List<TaskFigures>> byName = new TreeMap<>();
        for (JobVertex vertex : graph.vertices()) {
            byName.merge(
                    vertex.name(),
                    figures.getOrDefault(vertex.id(), List.of()),
                    (a, b) -> {
                        List<TaskFigures> both = new ArrayList<>(a);
                        both.addAll(b);
                        return both;
                    });
        }
        return byName;
    }

    /** The subtasks of a stage, ready to run. */
    List<Subtask> subtasks(int stage) {
        List<Subtask> subtasks = new ArrayList<>();
        try {
            for (int id : stages.get(stage).vertices()) {
                JobVertex vertex = graph.vertex(id);
                if (!fusion.isFused(vertex)) {
                    ReadDriver.Splits splits = splits(vertex);
                    for (int i = 0; i < vertex.parallelism(); i++) {
                        subtasks.add(subtask(vertex, i, splits));
                    }
                }
            }
        } catch (Throwable e) {
            // A source or a sink refuses: what was opened for the others is closed.
            subtasks.forEach(Subtask::abandon);
            throw e;
        }
        return subtasks;
    }

    private Subtask subtask(JobVertex vertex, int subtask, ReadDriver.Splits splits) {
        TaskTools tools = tools(vertex, subtask);
        TaskContext task =
                new TaskContext(
                        vertex,
                        subtask,
                        gates.getOrDefault(vertex.id(), List.of()).get(subtask),
                        memory.shareBytes(vertex),
                        tools);
        ChainBuilder chain = new ChainBuilder(graph, fusion, memory, gates, samples, this::tools);
        Stage stage = chain.of(vertex, subtask);
        return new Subtask(task, driver(task, splits, chain), stage);
    }

    private TaskTools tools(JobVertex vertex, int subtask) {
        return new TaskTools(
                control, pool, area, figures.getOrDefault(vertex.id(), List.of()).get(subtask));
    }

    private Driver driver(TaskContext task, ReadDriver.Splits splits, ChainBuilder chain) {
        return switch (task.vertex().operation()) {
            case Operation.Read(var source) ->
                    new ReadDriver(source, splits, control, chain.trials(task));
            case Operation.Write _, Operation.Relay _ -> new RelayDriver(task);
            case Operation.SortedReduce reduce -> new SortedReduceDriver(task, reduce);
            case Operation.HashAggregate aggregate -> new HashAggregateDriver(task, aggregate);
            case Operation.SortedAggregate aggregate -> new SortedAggregateDriver(task, aggregate);
            case Operation.MergeJoin join -> new MergeJoinDriver(task, join);
            case Operation.HashJoin join -> new HashJoinDriver(task, join);
            case Operation.Cross cross -> new CrossDriver(task, cross);
            case Operation.CoGroup coGroup -> new CoGroupDriver(task, coGroup);
        };
    }

    private ReadDriver.Splits splits(JobVertex vertex) {
        if (!(vertex.operation() instanceof Operation.Read(var source))) {
            return new ReadDriver.Splits(List.of());
        }
        return new ReadDriver.Splits(splits(source, vertex.parallelism() * SPLITS_PER_SUBTASK));
    }

    static List<Source.Split> splits(Source source, int wanted) {
        try {
            return source.splits(wanted);
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + source.name(), e);
        }
    }

    /** A gate for every input of every subtask. */
    private List<List<Gate>> gates(JobVertex vertex) {
        List<List<Gate>> ofSubtasks = new ArrayList<>();
        for (int i = 0; i < vertex.parallelism(); i++) {
            List<Gate> ofInputs = new ArrayList<>();
            for (int input = 0; input < vertex.inputs().size(); input++) {
                List<JobEdge> edges = graph.incoming(vertex.id(), input);
                int senders = 0;
                boolean elastic = Elasticity.needed(graph, vertex, input);
                for (JobEdge edge : edges) {
                    senders += senders(edge);
                    elastic |= edge.channel() == ChannelType.FILE;
                }
                ofInputs.add(new Gate(senders, elastic, control, pool, area));
            }
            ofSubtasks.add(List.copyOf(ofInputs));
        }
        return List.copyOf(ofSubtasks);
    }

    /** How many subtasks send to one subtask over an edge. */
    private int senders(JobEdge edge) {
        return edge.shipping() instanceof Shipping.Forward
                ? 1
                : graph.vertex(edge.from()).parallelism();
    }

    @Override
    public void close() {
        for (List<List<Gate>> ofVertex : gates.values()) {
            for (List<Gate> ofSubtask : ofVertex) {
                ofSubtask.forEach(Gate::close);
            }
        }
    }
}
