package petrichor.jobs.python;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.Record;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.ReduceCode;

/** A function over groups; a group may lie in several batches. Also a combiner. */
final class PythonReduce implements ReduceCode {
    private static final long serialVersionUID = 1L;

    private final PythonCode code;
    private final RecordType input;
    private final RecordType output;
    private transient @Nullable Exchange exchange;

    PythonReduce(PythonCode code, RecordType input, RecordType output) {
        this.code = code;
        this.input = input;
        this.output = output;
    }

    @Override
    public void reduce(Group group, Out out) throws Exception {
        if (exchange == null) {
            exchange = Exchange.open(code, List.of(input), output);
        }
        exchange.beginGroup();
        for (Record record = group.next(); record != null; record = group.next()) {
            exchange.add(0, record);
            exchange.sendIfFull(out);
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
