package petrichor.jobs.engine.operators;

import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.exchange.TaskFigures;
import petrichor.jobs.records.RecordView;

/** Counts what a source gives before it goes on; told to the figures batch by batch. */
final class CountedStage implements Stage {
    /** Each of these records may take user code a while, and the job may have been stopped. */
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

    /** A batch has ended. */
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
