package petrichor.jobs.engine.operators;

import java.util.List;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.records.Accumulator;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordView;

/** Aggregates adjacent records of a key with built-in aggregates; keeps their order. */
final class SortedAggregateDriver implements Driver {
    private final TaskContext task;
    private final Operation.SortedAggregate operation;

    SortedAggregateDriver(TaskContext task, Operation.SortedAggregate operation) {
        this.task = task;
        this.operation = operation;
    }

    @Override
    public void run(ChainedOperator out) {
        Accumulator accumulator =
                Accumulator.of(operation.aggregation(), operation.step(), task.inputType(0));
        RecordBuilder partial = new RecordBuilder(accumulator.partialType());
        RecordBuilder grown = new RecordBuilder(accumulator.partialType());
        RecordBuilder result = new RecordBuilder(operation.output(List.of(task.inputType(0))));
        int[] keys = accumulator.inputKeys();
        int[] first = new int[keys.length];
        for (int i = 0; i < first.length; i++) {
            first[i] = i;
        }
        KeyOrder order =
                keys.length == 0
                        ? null
                        : KeyOrder.of(
                                Key.of(keys),
                                task.inputType(0),
                                Key.of(first),
                                accumulator.partialType());
        RecordView state = partial.finish();
        boolean started = false;
        try (TaskInputStream records = task.open(0, out)) {
            for (RecordView r = records.next(); r != null; r = records.next()) {
                if (started && (order == null || order.equal(r, state))) {
                    if (!accumulator.add(r, state)) {
                        accumulator.grow(r, state, grown);
                        state = grown.finish();
                        RecordBuilder swapped = partial;
                        partial = grown;
                        grown = swapped;
                    }
                    continue;
                }
                if (started) {
                    accumulator.finish(state, result);
                    out.accept(result.finish());
                }
                started = true;
                accumulator.begin(r, partial);
                state = partial.finish();
            }
        }
        if (started) {
            accumulator.finish(state, result);
            out.accept(result.finish());
        }
    }

    @Override
    public String position() {
        return task.position();
    }
}
