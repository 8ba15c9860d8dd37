package petrichor.jobs.engine.operators;

import petrichor.jobs.records.RecordView;

/** Limit: passes the first records, then terminates early. */
final class FirstStage implements Stage {
    private final Stage next;
    private long left;

    FirstStage(long records, Stage next) {
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
    public boolean enough() {
        return left == 0 || next.enough();
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
