package petrichor.jobs.python;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.CoGroupCode;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.Record;
import petrichor.jobs.records.RecordType;

/** A function over both groups of a key; of each group all records travel in their order. */
final class PythonCoGroup implements CoGroupCode {
    private static final long serialVersionUID = 1L;

    private final PythonCode code;
    private final RecordType left;
    private final RecordType right;
    private final RecordType output;
    private transient @Nullable Exchange exchange;

    PythonCoGroup(PythonCode code, RecordType left, RecordType right, RecordType output) {
        this.code = code;
        this.left = left;
        this.right = right;
        this.output = output;
    }

    @Override
    public void coGroup(Group left, Group right, Out out) throws Exception {
        if (exchange == null) {
            exchange = Exchange.open(code, List.of(this.left, this.right), output);
        }
        exchange.beginGroup();
        add(0, left, exchange, out);
        add(1, right, exchange, out);
    }

    private static void add(int input, Group group, Exchange to, Out out) throws Exception {
        for (Record record = group.next(); record != null; record = group.next()) {
            to.add(input, record);
            to.sendIfFull(out);
        }
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
