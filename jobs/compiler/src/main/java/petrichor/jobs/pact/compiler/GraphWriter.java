package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.TaskInput;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.records.RecordType;

/**
 * Translates chosen candidates to a job graph. Operations on single records are chained to the task
 * before them; a union is not a task: its inputs lead to its consumers.
 */
final class GraphWriter {
    private final String name;
    private final Uniqueness uniqueness;
    private final ContractSignatures signatures;
    private final List<TaskDraft> drafts = new ArrayList<>();
    private final List<JobEdge> edges = new ArrayList<>();
    private final Map<Candidate, Integer> readers = new LinkedHashMap<>();

    /** The tasks that emit a candidate's output. */
    private final Map<Candidate, List<TaskDraft>> emitters = new LinkedHashMap<>();

    GraphWriter(String name, Uniqueness uniqueness, ContractSignatures signatures) {
        this.name = name;
        this.signatures = signatures;
        this.uniqueness = uniqueness;
    }

    JobGraph write(List<Candidate> sinks) {
        sinks.stream()
                .flatMap(sink -> sink.all().stream())
                .distinct()
                .flatMap(candidate -> candidate.ways().stream())
                .forEach(way -> readers.merge(way.from(), 1, Integer::sum));
        sinks.forEach(this::emitters);
        return new JobGraph(name, drafts.stream().map(TaskDraft::vertex).toList(), edges);
    }

    private List<TaskDraft> emitters(Candidate candidate) {
        var known = emitters.get(candidate);
        if (known == null) {
            known = write(candidate);
            emitters.put(candidate, known);
        }
        return known;
    }

    private List<TaskDraft> write(Candidate candidate) {
        if (candidate.node().contract() instanceof Contract.Union) {
            return union(candidate);
        }
        if (isChained(candidate)) {
            var before = emitters(candidate.ways().getFirst().from());
            for (var emitter : before) {
                candidate.steps().forEach(step -> emitter.chain(candidate.node().name(), step));
                emitter.does(signatures.of(candidate.node()));
            }
            return before;
        }
        var sources = candidate.ways().stream().map(this::senders).toList();
        var inputs = new ArrayList<TaskInput>();
        for (int input = 0; input < sources.size(); input++) {
            inputs.add(
                    new TaskInput(typeOf(sources.get(input)), candidate.ways().get(input).order()));
        }
        var draft =
                draft(
                        candidate.node().name(),
                        candidate.operation(),
                        inputs,
                        candidate.parallelism(),
                        candidate.node().machines(),
                        isStateless(candidate));
        draft.does(signatures.of(candidate.node()));
        candidate.steps().forEach(draft::chainUnnamed);
        for (int input = 0; input < sources.size(); input++) {
            connect(sources.get(input), draft, input, candidate.ways().get(input).shipping());
        }
        return List.of(draft);
    }

    private boolean isChained(Candidate candidate) {
        if (!(candidate.operation() instanceof Operation.Relay) || candidate.ways().size() != 1) {
            return false;
        }
        var way = candidate.ways().getFirst();
        return way.isForward()
                && way.order() instanceof InputOrder.AsTheyCome
                && way.before().isEmpty()
                && isReadOnce(way.from())
                && staysOnMachines(candidate, way.from())
                && mayBeSplit(candidate, way.from());
    }

    /** A step with a machine type of its own is a task of its own. */
    private boolean staysOnMachines(Candidate candidate, Candidate from) {
        String own = candidate.node().machines();
        return own == null
                || emitters(from).stream().allMatch(emitter -> own.equals(emitter.machines()));
    }

    /** A step after a union would run in several tasks, which is wrong for one that counts. */
    private boolean mayBeSplit(Candidate candidate, Candidate from) {
        return emitters(from).size() == 1
                || candidate.steps().stream().allMatch(step -> step instanceof Step.Map);
    }

    /** Whether the output of the tasks that emit this has no other consumer. */
    private boolean isReadOnce(Candidate candidate) {
        boolean once = readers.getOrDefault(candidate, 0) == 1;
        boolean union = candidate.node().contract() instanceof Contract.Union;
        return once
                && (!union || candidate.ways().stream().allMatch(way -> isReadOnce(way.from())));
    }

    private List<TaskDraft> union(Candidate candidate) {
        var all = new ArrayList<TaskDraft>();
        for (var way : candidate.ways()) {
            var from = emitters(way.from());
            if (!way.isForward()) {
                all.add(relayed(from, way.shipping(), candidate.parallelism()));
                continue;
            }
            for (var emitter : from) {
                // A data set that is united with itself arrives twice, and so from two tasks.
                boolean again = all.contains(emitter);
                all.add(
                        again
                                ? relayed(List.of(emitter), way.shipping(), candidate.parallelism())
                                : emitter);
            }
        }
        return all;
    }

    private TaskDraft relayed(List<TaskDraft> from, Shipping shipping, int parallelism) {
        var relay = relay("union", typeOf(from), parallelism);
        connect(from, relay, 0, shipping);
        return relay;
    }

    /** The tasks that send by a way, with its steps on the sender's side. */
    private List<TaskDraft> senders(DataTransfer way) {
        var from = emitters(way.from());
        if (way.before().isEmpty()) {
            return from;
        }
        var senders = new ArrayList<TaskDraft>();
        for (var emitter : from) {
            var sender = emitter;
            if (!isReadOnce(way.from())) {
                // Other consumers read the same records without those steps.
                sender = relay("combine", typeOf(List.of(emitter)), way.from().parallelism());
                connect(List.of(emitter), sender, 0, new Shipping.Forward());
            }
            for (var step : way.before()) {
                sender.chain(step.name(), step);
            }
            senders.add(sender);
        }
        return senders;
    }

    private TaskDraft relay(String what, RecordType type, int parallelism) {
        return draft(
                what, new Operation.Relay(), List.of(TaskInput.of(type)), parallelism, null, true);
    }

    private TaskDraft draft(
            String what,
            Operation operation,
            List<TaskInput> inputs,
            int parallelism,
            @Nullable String machines,
            boolean stateless) {
        var draft =
                new TaskDraft(
                        drafts.size(), what, operation, inputs, parallelism, machines, stateless);
        drafts.add(draft);
        return draft;
    }

    private void connect(List<TaskDraft> from, TaskDraft to, int input, Shipping shipping) {
        var channel =
                shipping instanceof Shipping.Forward ? ChannelType.IN_MEMORY : ChannelType.NETWORK;
        from.forEach(
                sender -> edges.add(new JobEdge(sender.id(), to.id(), input, shipping, channel)));
    }

    private static RecordType typeOf(List<TaskDraft> drafts) {
        var type = drafts.getFirst().type();
        if (type == null) {
            throw new IllegalStateException("a sink has no output");
        }
        return type;
    }

    /** Thesis, table 7.1: Map always, Reduce where keys are unique. */
    private boolean isStateless(Candidate candidate) {
        boolean keepsNothing =
                candidate.ways().stream()
                        .allMatch(way -> way.order() instanceof InputOrder.AsTheyCome);
        return keepsNothing
                && switch (candidate.operation()) {
                    case Operation.Relay _ -> true;
                    case Operation.SortedReduce(var key, var _, var _) ->
                            uniqueness.isUnique(
                                    candidate.node().inputs().getFirst(), KeyFields.set(key));
                    case Operation.Read _,
                            Operation.Write _,
                            Operation.HashAggregate _,
                            Operation.SortedAggregate _,
                            Operation.MergeJoin _,
                            Operation.HashJoin _,
                            Operation.Cross _,
                            Operation.CoGroup _ ->
                            false;
                };
    }
}
