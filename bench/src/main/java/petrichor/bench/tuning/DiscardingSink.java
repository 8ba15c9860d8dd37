package petrichor.bench.tuning;

import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Discards records; the engine counts them. */
record DiscardingSink(String name) implements Sink {
    @Override
    public void check(RecordType type) {}

    @Override
    public void begin(RecordType type, int subtasks) {}

    @Override
    public Writer open(RecordType type, int subtask) {
        return new Writer() {
            @Override
            public void write(RecordView record) {}

            @Override
            public void finish() {}

            @Override
            public void close() {}
        };
    }

    @Override
    public void commit(int subtasks) {}

    @Override
    public void abort(int subtasks) {}
}
