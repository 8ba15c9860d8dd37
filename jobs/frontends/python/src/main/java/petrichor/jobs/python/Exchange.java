package petrichor.jobs.python;

import java.util.List;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * Sends a subtask's records to a function and emits the results. Starts a worker, and ends it when
 * it is closed. Belongs to one thread.
 */
final class Exchange implements AutoCloseable {
    private final Batches batches;
    private final BatchReader reader;
    private final Worker worker;

    private Exchange(Batches batches, BatchReader reader, Worker worker) {
        this.batches = batches;
        this.reader = reader;
        this.worker = worker;
    }

    static Exchange open(PythonCode code, List<RecordType> inputs, RecordType output)
            throws InterruptedException {
        var setup = code.setup(inputs, output).toString();
        return new Exchange(
                new Batches(inputs),
                new BatchReader(output),
                new Worker(code.step(), code.interpreter(), setup));
    }

    void beginGroup() {
        batches.beginGroup();
    }

    void add(int input, RecordView record) {
        batches.add(input, record);
    }

    /** To be called after each record, or pair of records; emits the results received so far. */
    void sendIfFull(Out out) throws Exception {
        if (batches.isFull()) {
            worker.send(batches.take(), message -> reader.read(message, out));
        }
    }

    /** End of the records: emits all remaining results. */
    void finish(Out out) throws Exception {
        if (!batches.isEmpty()) {
            worker.send(batches.take(), message -> reader.read(message, out));
        }
        worker.finish(message -> reader.read(message, out));
    }

    @Override
    public void close() {
        worker.close();
    }
}
