package petrichor.jobs.engine.operators;

import java.io.IOException;
import petrichor.jobs.engine.exchange.TaskFigures;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordView;

/** The end of a chain: writes records to a sink. */
public final class SinkStage implements Stage {
    private static final int RECORDS_TOLD = 4_096;

    private final String name;
    private final Sink.Writer writer;
    private final TaskFigures figures;
    private long records;

    public SinkStage(Sink sink, Sink.Writer writer, TaskFigures figures) {
        this.name = sink.name();
        this.writer = writer;
        this.figures = figures;
    }

    @Override
    public void accept(RecordView record) {
        try {
            writer.write(record);
        } catch (IOException | RuntimeException e) {
            throw new OperationFailure("cannot write to " + name, e);
        }
        if (++records == RECORDS_TOLD) {
            figures.written(records);
            records = 0;
        }
    }

    @Override
    public void place(long offset, long bytes, long totalBytes) {
        try {
            writer.place(offset, bytes, totalBytes);
        } catch (IOException | RuntimeException e) {
            throw new OperationFailure("cannot write to " + name, e);
        }
    }

    @Override
    public boolean enough() {
        return false;
    }

    @Override
    public void finish() {
        try {
            writer.finish();
        } catch (IOException | RuntimeException e) {
            throw new OperationFailure("cannot finish " + name, e);
        }
        figures.written(records);
    }

    @Override
    public void close() {
        try {
            writer.close();
        } catch (IOException | RuntimeException e) {
            throw new OperationFailure("cannot close " + name, e);
        }
    }
}
