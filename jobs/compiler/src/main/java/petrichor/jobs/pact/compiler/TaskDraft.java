package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.Annotations;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.TaskInput;
import petrichor.jobs.records.RecordType;

/** A vertex of a job graph while steps are still being chained to it. */
final class TaskDraft {
    private final int id;
    private final Operation operation;
    private final int parallelism;
    private final @Nullable String machines;
    private final List<TaskInput> inputs;
    private final List<Step> chain = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<String> contracts = new ArrayList<>();
    private @Nullable RecordType type;
    private boolean stateless;

    TaskDraft(
            int id,
            String name,
            Operation operation,
            List<TaskInput> inputs,
            int parallelism,
            @Nullable String machines,
            boolean stateless) {
        this.id = id;
        this.operation = operation;
        this.inputs = inputs;
        this.parallelism = parallelism;
        this.machines = machines;
        this.stateless = stateless;
        this.type = operation.output(inputs.stream().map(TaskInput::type).toList());
        names.add(name);
    }

    void chain(String name, Step step) {
        chain.add(step);
        names.add(name);
        stateless &= step instanceof Step.Map;
        if (type != null) {
            type = step.output(type);
        }
    }

    /** Records that the task executes this contract. */
    void does(String contract) {
        contracts.add(contract);
    }

    /** Adds a step whose name becomes that of the relay. */
    void chainUnnamed(Step step) {
        chain(step.name(), step);
        names.removeLast();
    }

    @Nullable String machines() {
        return machines;
    }

    int id() {
        return id;
    }

    @Nullable RecordType type() {
        return type;
    }

    JobVertex vertex() {
        var annotations =
                Annotations.parallel(parallelism)
                        .withManagedMemoryWeight(memoryWeight())
                        .doing(contracts);
        if (machines != null) {
            annotations = annotations.onInstances(machines);
        }
        return new JobVertex(
                id,
                String.join(" → ", names),
                operation,
                inputs,
                chain,
                type,
                stateless ? annotations.withoutState() : annotations);
    }

    /** One share for each operation or step that keeps records. */
    private int memoryWeight() {
        long sorts =
                inputs.stream().filter(input -> input.order() instanceof InputOrder.Sorted).count();
        long combiners =
                chain.stream()
                        .filter(
                                step ->
                                        step instanceof Step.Combine
                                                || step instanceof Step.CombineGroups)
                        .count();
        int kept =
                switch (operation) {
                    case Operation.HashJoin _, Operation.HashAggregate _, Operation.Cross _ -> 1;
                    case Operation.Read _,
                            Operation.Write _,
                            Operation.Relay _,
                            Operation.SortedReduce _,
                            Operation.SortedAggregate _,
                            Operation.MergeJoin _,
                            Operation.CoGroup _ ->
                            0;
                };
        return (int) (sorts + combiners) + kept;
    }
}
