package petrichor.jobs.python;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.Record;
import petrichor.jobs.records.RecordType;

/** A function over records, or over batches of them. */
final class PythonMap implements MapCode {
    private static final long serialVersionUID = 1L;

    private final PythonCode code;
    private final RecordType output;
    private transient @Nullable Exchange exchange;

    PythonMap(PythonCode code, RecordType output) {
        this.code = code;
        this.output = output;
    }

    @Override
    public void map(Record in, Out out) throws Exception {
        if (exchange == null) {
            exchange = Exchange.open(code, List.of(in.type()), output);
        }
        exchange.add(0, in);
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
