package petrichor.jobs.python;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.Record;
import petrichor.jobs.records.RecordType;

/** A function over pairs: the same row of both inputs' batches. */
final class PythonJoin implements JoinCode {
    private static final long serialVersionUID = 1L;

    private final PythonCode code;
    private final RecordType left;
    private final RecordType right;
    private final RecordType output;
    private transient @Nullable Exchange exchange;

    PythonJoin(PythonCode code, RecordType left, RecordType right, RecordType output) {
        this.code = code;
        this.left = left;
        this.right = right;
        this.output = output;
    }

    @Override
    public void join(Record left, Record right, Out out) throws Exception {
        if (exchange == null) {
            exchange = Exchange.open(code, List.of(this.left, this.right), output);
        }
        exchange.add(0, left);
        exchange.add(1, right);
        exchange.sendIfFull(out);
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
