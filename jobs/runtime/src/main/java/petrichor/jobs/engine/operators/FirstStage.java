package petrichor.jobs.engine.operators;

import petrichor.jobs.records.RecordView;

/** Lets the first records through and then wants no more. */
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
