package petrichor.jobs.engine.operators;

import petrichor.jobs.engine.memory.HashAggregation;
import petrichor.jobs.records.RecordView;

/**
 * Combiner for built-in aggregates: pre-aggregates in a hash table as many keys as fit into memory.
 */
final class ChainedCombine implements ChainedOperator {
    private final HashAggregation table;
    private final ChainedOperator next;

    ChainedCombine(HashAggregation table, ChainedOperator next) {
        this.table = table;
        this.next = next;
    }

    @Override
    public void accept(RecordView record) {
        table.addOrEmit(record, next);
    }

    @Override
    public boolean isDone() {
        return next.isDone();
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
