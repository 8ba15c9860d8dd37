package petrichor.jobs.pact;

import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Annotations;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.RecordType;

/**
 * A program over data sets: starts with {@link #read}, ends with {@link DataSet#write}. Writing a
 * plan executes nothing. Belongs to one thread.
 */
public final class Plan {
    private final String name;
    private final List<PactNode> nodes = new ArrayList<>();
    private final List<Iteration> iterations = new ArrayList<>();
    private int parallelism = 1;

    private Plan(String name) {
        this.name = name;
    }

    public static Plan named(String name) {
        if (name.isBlank()) {
            throw PetrichorException.invalid("a plan needs a name");
        }
        return new Plan(name);
    }

    /** Sets the default number of subtasks of a contract. */
    public Plan parallelism(int subtasks) {
        if (subtasks < 1 || subtasks > Annotations.PARALLELISM_MAX) {
            throw PetrichorException.invalid(
                    "parallelism is {subtasks}; it must be from 1 to "
                            + Annotations.PARALLELISM_MAX,
                    "subtasks",
                    subtasks);
        }
        parallelism = subtasks;
        return this;
    }

    /** Reads the records of a source. */
    public DataSet read(Source source) {
        return add(
                source.name(), new Contract.Input(source), List.of(), source.type(), Promises.NONE);
    }

    /**
     * Repeats a part of the plan: the body starts at {@link Iteration#current} and ends where
     * {@link Iteration#close} is called.
     *
     * @param rounds maximum number of rounds
     */
    public Iteration iterate(DataSet initial, int rounds) {
        var iteration = new Iteration(this, initial, rounds);
        iterations.add(iteration);
        return iteration;
    }

    public String name() {
        return name;
    }

    public int parallelism() {
        return parallelism;
    }

    /** All contracts in the order of writing, used or not. */
    public List<PactNode> nodes() {
        return List.copyOf(nodes);
    }

    public List<Iteration> iterations() {
        return List.copyOf(iterations);
    }

    /** The sinks of the plan. */
    public List<PactNode> sinks() {
        return nodes.stream().filter(node -> node.contract() instanceof Contract.Output).toList();
    }

    DataSet add(
            String nodeName,
            Contract contract,
            List<DataSet> inputs,
            RecordType type,
            Promises promises) {
        for (var input : inputs) {
            if (input.plan() != this) {
                throw PetrichorException.invalid(
                        "\"{field}\" belongs to the plan \"{owner}\", not to \"{plan}\": read it"
                                + " here, or write both in one plan",
                        "field",
                        input.name(),
                        "owner",
                        input.plan().name(),
                        "plan",
                        name);
            }
        }
        var node =
                new PactNode(
                        nodes.size(),
                        nodeName,
                        contract,
                        inputs.stream().map(DataSet::node).toList(),
                        type,
                        promises);
        nodes.add(node);
        return new DataSet(this, node);
    }
}
