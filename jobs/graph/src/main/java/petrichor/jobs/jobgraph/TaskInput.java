package petrichor.jobs.jobgraph;

import java.io.Serializable;
import petrichor.jobs.records.RecordType;

/**
 * One input of a task: what its records are and in which order the operation gets them. Several
 * edges that lead to the same input are a union.
 */
public record TaskInput(RecordType type, InputOrder order) implements Serializable {
    public static TaskInput of(RecordType type) {
        return new TaskInput(type, InputOrder.asTheyCome());
    }
}
