package petrichor.jobs.jobgraph;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.RecordType;

/**
 * One task of a job: it orders its inputs, runs its operation over them and passes the output
 * through the chain, all on the thread of the subtask.
 *
 * @param id unique in the graph
 * @param name shown to people
 * @param inputs one per input of the operation
 * @param chain steps after the operation in the same task; empty for most
 * @param output record type after the chain; null for a {@link Operation.Write}
 */
public record JobVertex(
        int id,
        String name,
        Operation operation,
        List<TaskInput> inputs,
        List<Step> chain,
        @Nullable RecordType output,
        Annotations annotations)
        implements Serializable {
    public JobVertex {
        inputs = List.copyOf(inputs);
        chain = List.copyOf(chain);
        if (name.isBlank()) {
            throw PetrichorException.invalid("vertex {id} needs a name", "id", id);
        }
    }

    public int parallelism() {
        return annotations.parallelism();
    }

    public RecordType inputType(int input) {
        return inputs.get(input).type();
    }

    /** Record type of the task's output; not valid for sinks. */
    public RecordType outputType() {
        if (output == null) {
            throw PetrichorException.invalid("the sink \"{name}\" has no output", "name", name);
        }
        return output;
    }
}
