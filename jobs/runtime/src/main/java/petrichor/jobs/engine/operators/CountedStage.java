package petrichor.jobs.engine.operators;

import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.exchange.TaskFigures;
import petrichor.jobs.records.RecordView;

/** Counts a source's records and adds them to the metrics batch by batch. */
final class CountedStage implements Stage {
    /**
     * Interval of checks for a stopped job; short, since user code may take a while for each
     * record.
     */
    private static final long LOOK_MASK = 0xff;

    private final Stage next;
    private final JobControl control;
    private final TaskFigures figures;
    private final boolean on;
    private long records;
    private long bytes;

    CountedStage(Stage next, JobControl control, TaskFigures figures) {
        this.next = next;
        this.control = control;
        this.figures = figures;
        this.on = figures.on();
    }

    @Override
    public void accept(RecordView record) {
        if ((++records & LOOK_MASK) == 0) {
            control.check();
        }
        if (on) {
            bytes += record.bytes();
        }
        next.accept(record);
    }

    /** Ends a batch. */
    void tell() {
        figures.read(records, bytes);
        records = 0;
        bytes = 0;
    }

    @Override
    public boolean enough() {
        return next.enough();
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
