package petrichor.bench.tuning;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * Verifies that every page arrived as often as it has to, and stores nothing else. One run in one
 * process.
 */
final class EveryPage implements Sink {
    private static final long serialVersionUID = 1L;

    private final String name;
    private final int field;
    private final int times;
    private final AtomicIntegerArray seen;

    /**
     * @param field with the page's number
     * @param times expected number of arrivals of each
     */
    EveryPage(String name, int pages, int field, int times) {
        this.name = name;
        this.field = field;
        this.times = times;
        this.seen = new AtomicIntegerArray(pages);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void check(RecordType type) {}

    @Override
    public void begin(RecordType type, int subtasks) {}

    @Override
    public Writer open(RecordType type, int subtask) {
        return new Writer() {
            @Override
            public void write(RecordView record) {
                seen.incrementAndGet((int) record.int64(field));
            }

            @Override
            public void finish() {}

            @Override
            public void close() {}
        };
    }

    @Override
    public void commit(int subtasks) throws IOException {
        for (int page = 0; page < seen.length(); page++) {
            if (seen.get(page) != times) {
                throw new IOException(
                        "page "
                                + page
                                + " came "
                                + seen.get(page)
                                + " times to the "
                                + name
                                + " instead of "
                                + times);
            }
        }
    }

    @Override
    public void abort(int subtasks) {}
}
