package petrichor.jobs.engine.operators;

import java.io.IOException;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordView;

/** The end of a chain: writes records to a sink. */
public final class ChainedSink implements ChainedOperator {
    private static final int RECORDS_TOLD = 4_096;

    private final String name;
    private final Sink.Writer writer;
    private final TaskMetrics metrics;
    private long records;

    public ChainedSink(Sink sink, Sink.Writer writer, TaskMetrics metrics) {
        this.name = sink.name();
        this.writer = writer;
        this.metrics = metrics;
    }

    @Override
    public void accept(RecordView record) {
        try {
            writer.write(record);
        } catch (IOException | RuntimeException e) {
            throw new OperationFailure("cannot write to " + name, e);
        }
        if (++records == RECORDS_TOLD) {
            metrics.written(records);
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
    public boolean isDone() {
        return false;
    }

    @Override
    public void finish() {
        try {
            writer.finish();
        } catch (IOException | RuntimeException e) {
            throw new OperationFailure("cannot finish " + name, e);
        }
        metrics.written(records);
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
