package petrichor.jobs.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** A sink that keeps the output of each subtask for inspection after the job. */
public final class Collected implements Sink {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // never sent anywhere in these tests
    private final Map<Integer, List<RecordView>> parts = new ConcurrentHashMap<>();

    private transient volatile @Nullable Runnable atCommit;

    volatile boolean committed;
    volatile boolean aborted;

    /** The output of all subtasks, concatenated. */
    List<RecordView> records() {
        List<RecordView> all = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            all.addAll(part(i));
        }
        return all;
    }

    List<RecordView> part(int subtask) {
        return parts.getOrDefault(subtask, List.of());
    }

    List<Rows.Row> rows() {
        return records().stream().map(Rows.Row::of).toList();
    }

    List<String> shown() {
        return records().stream().map(RecordView::toString).sorted().toList();
    }

    @Override
    public String name() {
        return "collected";
    }

    @Override
    public void check(RecordType type) {}

    @Override
    public void begin(RecordType type, int subtasks) {}

    @Override
    public Writer open(RecordType type, int subtask) {
        List<RecordView> mine = new ArrayList<>();
        parts.put(subtask, mine);
        return new Writer() {
            @Override
            public void write(RecordView record) {
                mine.add(record.copy());
            }

            @Override
            public void finish() {}

            @Override
            public void close() {}
        };
    }

    /** Registers an action to run on commit. */
    void atCommit(Runnable step) {
        atCommit = step;
    }

    @Override
    public void commit(int subtasks) {
        Runnable step = atCommit;
        if (step != null) {
            step.run();
        }
        committed = true;
    }

    @Override
    public void abort(int subtasks) {
        aborted = true;
    }
}
