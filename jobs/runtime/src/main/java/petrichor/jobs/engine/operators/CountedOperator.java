package petrichor.jobs.engine.operators;

import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.records.RecordView;

/** Counts a source's records and adds them to the metrics batch by batch. */
final class CountedOperator implements ChainedOperator {
    /**
     * Interval of checks for a stopped job; short, since user code may take a while for each
     * record.
     */
    private static final long POLL_MASK = 0xff;

    private final ChainedOperator next;
    private final JobControl control;
    private final TaskMetrics metrics;
    private final boolean on;
    private long records;
    private long bytes;

    CountedOperator(ChainedOperator next, JobControl control, TaskMetrics metrics) {
        this.next = next;
        this.control = control;
        this.metrics = metrics;
        this.on = metrics.on();
    }

    @Override
    public void accept(RecordView record) {
        if ((++records & POLL_MASK) == 0) {
            control.check();
        }
        if (on) {
            bytes += record.bytes();
        }
        next.accept(record);
    }

    /** Ends a batch. */
    void tell() {
        metrics.read(records, bytes);
        records = 0;
        bytes = 0;
    }

    @Override
    public boolean isDone() {
        return next.isDone();
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
