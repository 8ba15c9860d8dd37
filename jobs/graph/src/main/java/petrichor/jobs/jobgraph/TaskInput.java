package petrichor.jobs.jobgraph;

import java.io.Serializable;
import petrichor.jobs.records.RecordType;

/**
 * One input of a task: its record type and the order in which the operation gets the records.
 * Several edges to the same input are a union.
 */
public record TaskInput(RecordType type, InputOrder order) implements Serializable {
    public static TaskInput of(RecordType type) {
        return new TaskInput(type, InputOrder.asTheyCome());
    }
}
