package petrichor.testing.jobs;

import java.io.IOException;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordType;

/** A sink with a callback after all tasks have finished, before the result is published. */
final class LateSink implements Sink {
    private static final long serialVersionUID = 1L;

    private final Sink sink;
    private final transient Runnable before;

    LateSink(Sink sink, Runnable before) {
        this.sink = sink;
        this.before = before;
    }

    @Override
    public String name() {
        return sink.name();
    }

    @Override
    public void check(RecordType type) {
        sink.check(type);
    }

    @Override
    public void begin(RecordType type, int subtasks) throws IOException {
        sink.begin(type, subtasks);
    }

    @Override
    public Writer open(RecordType type, int subtask) throws IOException {
        return sink.open(type, subtask);
    }

    @Override
    public void commit(int subtasks) throws IOException {
        before.run();
        sink.commit(subtasks);
    }

    @Override
    public void abort(int subtasks) throws IOException {
        sink.abort(subtasks);
    }
}
