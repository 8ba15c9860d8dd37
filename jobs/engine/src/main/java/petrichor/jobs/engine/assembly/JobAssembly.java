package petrichor.jobs.engine.assembly;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.jobs.engine.exchange.Arrivals;
import petrichor.jobs.engine.exchange.Gate;
import petrichor.jobs.engine.exchange.RangeSample;
import petrichor.jobs.engine.exchange.Roster;
import petrichor.jobs.engine.exchange.TaskFigures;
import petrichor.jobs.engine.memory.BlockPool;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.engine.operators.Splits;
import petrichor.jobs.engine.operators.Stage;
import petrichor.jobs.engine.operators.Subtask;
import petrichor.jobs.engine.operators.SubtaskWatch;
import petrichor.jobs.engine.operators.TaskContext;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.ExecutionStage;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.records.Key;

/**
 * Puts a job together: the gates in front of every subtask, the chains behind them, and who gets
 * how much memory. A task that only relays or writes what one other task forwards to it becomes a
 * part of that one's chain. Used by the job's own thread; figures may be read by all.
 */
public final class JobAssembly implements AutoCloseable {
    /** A source is cut finer than there are subtasks, so that a slow one reads less. */
    private static final int SPLITS_PER_SUBTASK = 8;

    /** So many subtasks can share a source evenly if it is not known how many there will be. */
    private static final int READERS_FORESEEN = 16;

    private final JobGraph graph;
    private final Workspace space;
    private final Placement placement;
    private final SubtaskWatch watch;
    private final Fusion fusion;
    private final MemoryPlan memory;
    private final boolean profiled;
    private final List<ExecutionStage> stages;
    private final Map<Integer, List<List<Gate>>> gates = new HashMap<>();
    private final Map<Integer, RangeSample> samples = new HashMap<>();
    private final Map<Integer, Roster> rosters = new HashMap<>();
    private final Map<Integer, Splits> splits = new HashMap<>();
    private final Map<Integer, List<TaskFigures>> figures = new HashMap<>();

    /**
     * A job that runs in this process alone.
     *
     * @param memoryBytes for sorts, tables and buffers of all its tasks
     * @param profiled whether figures are kept
     * @param scalable tasks whose subtasks may come and go
     */
    public JobAssembly(
            JobGraph graph,
            long memoryBytes,
            boolean profiled,
            Workspace space,
            SubtaskWatch watch,
            Set<Integer> scalable) {
        this(
                graph,
                memoryBytes,
                profiled,
                space,
                watch,
                Placement.HERE,
                null,
                new Fusion(graph, scalable),
                scalable);
    }

    /** Takes a sample of an edge to where samples are put together. */
    public interface Samples {
        void contribute(int edge, List<byte[]> records);
    }

    /**
     * A part of a job.
     *
     * @param elsewhere where samples are put together
     */
    public JobAssembly(
            JobGraph graph,
            long memoryBytes,
            boolean profiled,
            Workspace space,
            SubtaskWatch watch,
            Placement placement,
            Samples elsewhere) {
        this(
                graph,
                memoryBytes,
                profiled,
                space,
                watch,
                placement,
                elsewhere,
                new Fusion(graph),
                Set.of());
    }

    /**
     * @param elsewhere where samples are put together; null if here
     */
    private JobAssembly(
            JobGraph graph,
            long memoryBytes,
            boolean profiled,
            Workspace space,
            SubtaskWatch watch,
            Placement placement,
            @Nullable Samples elsewhere,
            Fusion fusion,
            Set<Integer> scalable) {
        this.graph = graph;
        this.space = space;
        this.watch = watch;
        this.placement = placement;
        this.profiled = profiled;
        this.fusion = fusion;
        this.stages = ExecutionGraph.of(graph).stages();
        this.memory = new MemoryPlan(graph, stages, memoryBytes);
        for (JobVertex vertex : graph.vertices()) {
            List<TaskFigures> ofVertex = new ArrayList<>();
            for (int i = 0; i < vertex.parallelism(); i++) {
                ofVertex.add(new TaskFigures(profiled));
            }
            figures.put(vertex.id(), new CopyOnWriteArrayList<>(ofVertex));
            boolean shared = scalable.contains(vertex.id()) && !fusion.isFused(vertex);
            gates.put(vertex.id(), shared ? sharedGates(vertex) : gates(vertex));
        }
        for (int i = 0; i < graph.edges().size(); i++) {
            JobEdge edge = graph.edges().get(i);
            if (edge.shipping() instanceof Shipping.RangePartition(var key, var bounds)
                    && bounds instanceof RangeBounds.Sampled) {
                samples.put(i, sample(edge, i, key, elsewhere));
            }
        }
    }

    private RangeSample sample(JobEdge edge, int number, Key key, @Nullable Samples elsewhere) {
        JobVertex from = graph.vertex(edge.from());
        return elsewhere == null
                ? new RangeSample(
                        key,
                        from.outputType(),
                        from.parallelism(),
                        graph.vertex(edge.to()).parallelism())
                : new RangeSample(
                        key, from.outputType(), records -> elsewhere.contribute(number, records));
    }

    /** Where the ranges of an edge are cut, as was found out elsewhere. */
    public void settle(int edge, List<byte[]> cuts) {
        RangeSample sample = samples.get(edge);
        if (sample != null) {
            sample.settle(cuts);
        }
    }

    /** Lets what is not handed over by a subtask of this process arrive at a task's gates. */
    private void receive(JobVertex vertex) {
        List<List<Gate>> ofVertex = gates.getOrDefault(vertex.id(), List.of());
        for (int number = 0; number < graph.edges().size(); number++) {
            JobEdge edge = graph.edges().get(number);
            if (edge.to() != vertex.id()) {
                continue;
            }
            int first = firstSender(graph, number);
            boolean forward = edge.shipping() instanceof Shipping.Forward;
            int senders = senders(graph, edge);
            for (int receiver = 0; receiver < ofVertex.size(); receiver++) {
                for (int i = 0; i < senders && placement.isHere(vertex.id(), receiver); i++) {
                    int sender = forward ? receiver : i;
                    Placement.ChannelId channel =
                            new Placement.ChannelId(edge.channel(), number, sender, receiver);
                    if (!placement.direct(channel)) {
                        placement.receive(
                                channel, first + i, ofVertex.get(receiver).get(edge.input()));
                    }
                }
            }
        }
    }

    public int stages() {
        return stages.size();
    }

    public long spilledBytes() {
        return space.area().written();
    }

    /** Blocks that nobody has given back; sorts and tables leave theirs to the collector. */
    public int blocksLent() {
        return space.pool().lent();
    }

    /** What the subtasks of this process have done by now; those that have done nothing are out. */
    public SortedMap<SubtaskId, SubtaskFigures> measured() {
        SortedMap<SubtaskId, SubtaskFigures> all = new TreeMap<>();
        figures.forEach(
                (vertex, ofVertex) -> {
                    for (int i = 0; i < ofVertex.size(); i++) {
                        SubtaskFigures now = ofVertex.get(i).now();
                        if (!now.equals(SubtaskFigures.NONE)) {
                            all.put(new SubtaskId(vertex, i), now);
                        }
                    }
                });
        return all;
    }

    public Map<String, List<TaskFigures>> figures() {
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
    public List<Subtask> subtasks(int stage) {
        List<Subtask> subtasks = new ArrayList<>();
        try {
            for (int id : stages.get(stage).vertices()) {
                JobVertex vertex = graph.vertex(id);
                if (!fusion.isFused(vertex)) {
                    receive(vertex);
                    splits.put(id, new Splits(splits(vertex)));
                    Roster roster = rosters.get(id);
                    for (int i = 0; i < vertex.parallelism(); i++) {
                        if (placement.isHere(id, i)) {
                            subtasks.add(
                                    subtask(vertex, i, roster == null ? null : roster.begin()));
                        }
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

    /** The tasks of a stage whose subtasks may come and go, by the id of the task. */
    public Map<Integer, Roster> rosters(int stage) {
        Map<Integer, Roster> ofStage = new TreeMap<>(rosters);
        ofStage.keySet().retainAll(stages.get(stage).vertices());
        return ofStage;
    }

    /** One more subtask of a task that is on its way; null if the task is at its end. */
    public @Nullable Subtask join(int id) {
        Roster roster = rosters.get(id);
        return roster == null
                ? null
                : roster.join(place -> subtask(graph.vertex(id), place.number(), place));
    }

    /** What the blocks in the hands of one more subtask of a task take, and those on their way. */
    public long bytesOfOneMore(int id) {
        return ChainBuilder.blocksOfSubtask(graph, fusion, gates, graph.vertex(id))
                * BlockPool.blockBytes();
    }

    private Subtask subtask(JobVertex vertex, int subtask, Roster.@Nullable Place place) {
        List<List<Gate>> ofVertex = gates.getOrDefault(vertex.id(), List.of());
        List<? extends Arrivals> inputs =
                place == null
                        ? ofVertex.get(subtask)
                        : vertex.inputs().stream().map(_ -> place).toList();
        TaskContext task =
                new TaskContext(
                        vertex,
                        subtask,
                        List.copyOf(inputs),
                        memory.shareBytes(vertex),
                        space,
                        figures(vertex, subtask),
                        place);
        ChainBuilder chain =
                new ChainBuilder(
                        graph, fusion, memory, gates, samples, placement, space, this::figures);
        Stage stage = chain.of(vertex, subtask);
        return Subtask.of(
                task, splitsOf(vertex, subtask), chain.trials(vertex, subtask), stage, watch);
    }

    /** One subtask, ready to run. */
    public Subtask subtask(SubtaskId id) {
        JobVertex vertex = graph.vertex(id.vertex());
        receive(vertex);
        splits.put(id.vertex(), new Splits(splits(vertex)));
        return subtask(vertex, id.subtask(), null);
    }

    private TaskFigures figures(JobVertex vertex, int subtask) {
        List<TaskFigures> ofVertex = figures.getOrDefault(vertex.id(), List.of());
        while (ofVertex.size() <= subtask) {
            ofVertex.add(new TaskFigures(profiled));
        }
        return ofVertex.get(subtask);
    }

    /** All of them where its subtasks share them, or only its own. */
    private Splits splitsOf(JobVertex vertex, int subtask) {
        Splits all = splits.getOrDefault(vertex.id(), new Splits(List.of()));
        return placement.alone() ? all : new Splits(placement.splits(all.all(), vertex, subtask));
    }

    private List<Source.Split> splits(JobVertex vertex) {
        return vertex.operation() instanceof Operation.Read(var source)
                ? splits(source, readers(vertex) * SPLITS_PER_SUBTASK)
                : List.of();
    }

    /** For how many there should be splits. */
    private int readers(JobVertex vertex) {
        return rosters.containsKey(vertex.id())
                ? Math.max(vertex.parallelism(), READERS_FORESEEN)
                : vertex.parallelism();
    }

    static List<Source.Split> splits(Source source, int wanted) {
        try {
            return source.splits(wanted);
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + source.name(), e);
        }
    }

    /** One gate for all subtasks, who are as many as there are at the time. */
    private List<List<Gate>> sharedGates(JobVertex vertex) {
        List<Gate> shared = new ArrayList<>();
        for (int input = 0; input < vertex.inputs().size(); input++) {
            shared.add(gate(vertex, input).shared());
        }
        Gate gate = shared.isEmpty() ? null : shared.getFirst();
        rosters.put(vertex.id(), new Roster(vertex.parallelism(), gate, profiled));
        return List.of(List.copyOf(shared));
    }

    /** A gate for every input of every subtask that is here. */
    private List<List<Gate>> gates(JobVertex vertex) {
        List<List<Gate>> ofSubtasks = new ArrayList<>();
        for (int i = 0; i < vertex.parallelism(); i++) {
            List<Gate> ofInputs = new ArrayList<>();
            int inputs = placement.isHere(vertex.id(), i) ? vertex.inputs().size() : 0;
            for (int input = 0; input < inputs; input++) {
                ofInputs.add(gate(vertex, input));
            }
            ofSubtasks.add(List.copyOf(ofInputs));
        }
        return List.copyOf(ofSubtasks);
    }

    private Gate gate(JobVertex vertex, int input) {
        int senders = 0;
        boolean elastic =
                Elasticity.needed(graph, vertex, input)
                        || (placement.sharesInlets()
                                && vertex.inputs().get(input).order() instanceof InputOrder.Merged);
        for (JobEdge edge : graph.incoming(vertex.id(), input)) {
            senders += senders(graph, edge);
            elastic |= placement.alone() && edge.channel() == ChannelType.FILE;
        }
        return new Gate(senders, elastic, space.control(), space.pool(), space.area(), profiled);
    }

    /**
     * The number of an edge's first sender at its gate; the edges of a union stand in a row. Edges
     * are known by their place in the graph: a task that is united with itself has two that are
     * equal.
     */
    static int firstSender(JobGraph graph, int number) {
        JobEdge edge = graph.edges().get(number);
        int sender = 0;
        for (JobEdge other : graph.edges().subList(0, number)) {
            if (other.to() == edge.to() && other.input() == edge.input()) {
                sender += senders(graph, other);
            }
        }
        return sender;
    }

    /** How many subtasks send to one subtask over an edge. */
    private static int senders(JobGraph graph, JobEdge edge) {
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
