package petrichor.jobs.python;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.CoGroupCode;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.ReduceCode;

/**
 * A user-defined function, for all contracts: sends records, groups (which may span several
 * batches), pairs, or both groups of a key to its worker, and emits the results. Each subtask's
 * copy starts a worker with its first call. Belongs to one thread.
 */
final class PythonFunction implements MapCode, ReduceCode, JoinCode, CoGroupCode {
    private static final long serialVersionUID = 1L;
    private static final int FIRST = 0;
    private static final int SECOND = 1;

    private final PythonCode code;
    private final RecordType[] inputs;
    private final RecordType output;
    private transient @Nullable Exchange exchange;

    PythonFunction(PythonCode code, RecordType output, RecordType... inputs) {
        this.code = code;
        this.inputs = inputs.clone();
        this.output = output;
    }

    @Override
    public void map(RecordView in, Out out) throws Exception {
        var to = exchange();
        to.add(FIRST, in);
        to.sendIfFull(out);
    }

    @Override
    public void reduce(Group group, Out out) throws Exception {
        var to = exchange();
        to.beginGroup();
        add(FIRST, group, to, out);
    }

    @Override
    public void join(RecordView left, RecordView right, Out out) throws Exception {
        var to = exchange();
        to.add(FIRST, left);
        to.add(SECOND, right);
        to.sendIfFull(out);
    }

    @Override
    public void coGroup(Group left, Group right, Out out) throws Exception {
        var to = exchange();
        to.beginGroup();
        add(FIRST, left, to, out);
        add(SECOND, right, to, out);
    }

    private static void add(int input, Group group, Exchange to, Out out) throws Exception {
        for (RecordView record = group.next(); record != null; record = group.next()) {
            to.add(input, record);
            to.sendIfFull(out);
        }
    }

    private Exchange exchange() throws InterruptedException {
        var open = exchange;
        if (open == null) {
            open = Exchange.open(code, List.of(inputs), output);
            exchange = open;
        }
        return open;
    }

    @Override
    public void finish(Out out) throws Exception {
        if (exchange != null) {
            exchange.finish(out);
        }
    }

    @Override
    public void close() {
        if (exchange != null) {
            exchange.close();
        }
    }
}
