package petrichor.jobs.engine.operators;

import petrichor.jobs.records.RecordView;

/** Limit: passes the first records, then terminates early. */
final class ChainedLimit implements ChainedOperator {
    private final ChainedOperator next;
    private long left;

    ChainedLimit(long records, ChainedOperator next) {
        this.left = records;
        this.next = next;
    }

    @Override
    public void accept(RecordView record) {
        if (left > 0) {
            left--;
            next.accept(record);
        }
    }

    @Override
    public boolean isDone() {
        return left == 0 || next.isDone();
    }

    @Override
    public void finish() {
        next.finish();
    }

    @Override
    public void close() {
        next.close();
    }
}
