package petrichor.jobs.python;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * A filter with a Python predicate. Only the fields that it reads are sent, and one boolean per
 * record comes back; the records themselves, those of a few batches at most, are buffered here.
 *
 * <p>The compiler may move a filter to records in which its fields have other names: so the worker
 * gets the names that the author used.
 */
final class PythonFilter implements MapCode {
    private static final long serialVersionUID = 1L;
    private static final RecordType VERDICT = RecordType.of(Field.bool("stays"));

    private final PythonCode code;

    /** Type of the function's argument. */
    private final RecordType seen;

    /** Positions of its fields in the records. */
    private final int[] positions;

    private transient @Nullable Open open;

    PythonFilter(PythonCode code, RecordType seen, int... positions) {
        this.code = code;
        this.seen = seen;
        this.positions = positions.clone();
    }

    /** The state of a subtask. */
    private static final class Open {
        final Worker worker;
        final Batches batches;
        final RecordBuilder builder;
        final BatchReader verdicts = new BatchReader(VERDICT);
        final RecordView view;
        final Deque<List<byte[]>> sent = new ArrayDeque<>();
        List<byte[]> collected = new ArrayList<>();

        Open(PythonCode code, RecordType seen, RecordType records) throws InterruptedException {
            worker =
                    new Worker(
                            code.step(),
                            code.interpreter(),
                            code.setup(List.of(seen), VERDICT).toString());
            batches = new Batches(List.of(seen));
            builder = new RecordBuilder(seen);
            view = new RecordView(records);
        }

        void send(Out out) throws Exception {
            sent.addLast(collected);
            collected = new ArrayList<>();
            worker.send(batches.take(), message -> emit(message, out));
        }

        /** Each batch has one answer, in order. */
        void emit(byte[] message, Out out) {
            var records = sent.pollFirst();
            int rows = verdicts.open(message);
            if (records == null || rows != records.size()) {
                throw PetrichorException.of(
                        ErrorCode.INTERNAL,
                        "a Python worker returned a result for {rows} records that it did not"
                                + " receive",
                        "rows",
                        rows);
            }
            for (int row = 0; row < rows; row++) {
                if (verdicts.isTrue(message, row)) {
                    out.emit(view.at(records.get(row), 0));
                }
            }
        }
    }

    @Override
    public void map(RecordView in, Out out) throws Exception {
        var now = open;
        if (now == null) {
            now = new Open(code, seen, in.type());
            open = now;
        }
        now.builder.start();
        for (int i = 0; i < positions.length; i++) {
            now.builder.copy(i, in, positions[i]);
        }
        now.batches.add(0, now.builder.finish());
        now.collected.add(Arrays.copyOfRange(in.base(), in.at(), in.at() + in.bytes()));
        if (now.batches.isFull()) {
            now.send(out);
        }
    }

    @Override
    public void finish(Out out) throws Exception {
        var now = open;
        if (now != null) {
            if (!now.batches.isEmpty()) {
                now.send(out);
            }
            now.worker.finish(message -> now.emit(message, out));
        }
    }

    @Override
    public void close() {
        if (open != null) {
            open.worker.close();
        }
    }
}
