package petrichor.jobs.pact;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.RecordType;

/**
 * One contract of a plan and its inputs. Its shape is fixed at creation; name, promises, hints,
 * parallelism and machines may be refined through its {@link DataSet} until the plan is compiled.
 * Belongs to the thread that writes the plan. Nodes are compared by identity.
 */
public final class PactNode {
    private final int id;
    private final Contract contract;
    private final List<PactNode> inputs;
    private final RecordType type;
    private String name;
    private Promises promises;
    private Hints hints = Hints.NONE;
    private int parallelism;
    private @Nullable String machines;

    PactNode(
            int id,
            String name,
            Contract contract,
            List<PactNode> inputs,
            RecordType type,
            Promises promises) {
        this.id = id;
        this.name = name;
        this.contract = contract;
        this.inputs = List.copyOf(inputs);
        this.type = type;
        this.promises = promises;
    }

    /** The same contract applied to other data sets of the same types. */
    public PactNode over(List<PactNode> others) {
        return rewritten(contract, others, type, promises);
    }

    /** Its replacement in a rewritten plan; keeps name and hints. */
    public PactNode rewritten(
            Contract other, List<PactNode> others, RecordType otherType, Promises otherPromises) {
        var copy = new PactNode(id, name, other, others, otherType, otherPromises);
        copy.hints = hints;
        copy.parallelism = parallelism;
        copy.machines = machines;
        return copy;
    }

    /** Replaced by a source that reads its kept output. */
    public PactNode kept(Source source, Hints known) {
        var copy = new PactNode(id, name, new Contract.Input(source), List.of(), type, promises);
        copy.hints = known;
        return copy;
    }

    /** A sink for the output of this node. */
    public PactNode writtenTo(Sink sink) {
        return new PactNode(
                id, sink.name(), new Contract.Output(sink), List.of(this), type, Promises.NONE);
    }

    /** Unique in its plan, in the order of writing. */
    public int id() {
        return id;
    }

    public String name() {
        return name;
    }

    public Contract contract() {
        return contract;
    }

    public List<PactNode> inputs() {
        return inputs;
    }

    /** Record type of its output; for a sink: of its input. */
    public RecordType type() {
        return type;
    }

    public Promises promises() {
        return promises;
    }

    public Hints hints() {
        return hints;
    }

    /** Number of subtasks; 0 for the plan's default. */
    public int parallelism() {
        return parallelism;
    }

    /** Its machine type; null for that of its input. */
    public @Nullable String machines() {
        return machines;
    }

    void machines(String kind) {
        machines = kind;
    }

    void name(String newName) {
        name = newName;
    }

    void promises(Promises newPromises) {
        promises = newPromises;
    }

    void hints(Hints newHints) {
        hints = newHints;
    }

    void parallelism(int newParallelism) {
        parallelism = newParallelism;
    }

    @Override
    public String toString() {
        return contract.displayName() + " \"" + name + "\"";
    }
}
