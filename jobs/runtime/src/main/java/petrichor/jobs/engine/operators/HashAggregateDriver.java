package petrichor.jobs.engine.operators;

import java.util.List;
import petrichor.jobs.engine.memory.HashAggregation;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.records.RecordView;

/** Hash aggregation with built-in aggregates. */
final class HashAggregateDriver implements Driver {
    private final TaskContext task;
    private final Operation.HashAggregate operation;

    HashAggregateDriver(TaskContext task, Operation.HashAggregate operation) {
        this.task = task;
        this.operation = operation;
    }

    @Override
    public void run(ChainedOperator out) {
        try (TaskInputStream records = task.open(0, out);
                HashAggregation table =
                        new HashAggregation(
                                operation.aggregation(),
                                operation.step(),
                                task.inputType(0),
                                operation.output(List.of(task.inputType(0))),
                                task.share(),
                                task.space())) {
            for (RecordView r = records.next(); r != null; r = records.next()) {
                table.add(r);
            }
            table.emit(out, false);
        }
    }

    @Override
    public String position() {
        return task.position();
    }
}
