package petrichor.jobs.engine.operators;

import petrichor.jobs.engine.memory.HashAggregation;
import petrichor.jobs.records.RecordView;

/**
 * Combiner for built-in aggregates: pre-aggregates in a hash table as many keys as fit into memory.
 */
final class CombineStage implements Stage {
    private final HashAggregation table;
    private final Stage next;

    CombineStage(HashAggregation table, Stage next) {
        this.table = table;
        this.next = next;
    }

    @Override
    public void accept(RecordView record) {
        table.addOrEmit(record, next);
    }

    @Override
    public boolean enough() {
        return next.enough();
    }

    @Override
    public void finish() {
        table.emit(next, true);
        next.finish();
    }

    @Override
    public void close() {
        table.close();
        next.close();
    }
}
